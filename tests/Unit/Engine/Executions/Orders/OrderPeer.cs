using System.IO;
using Cinnabar.Engine.Executions;
using Cinnabar.Tests.Support.Engine;

namespace Cinnabar.Tests.Unit.Engine.Executions.Orders;

/// <summary>A client, and its counterpart at the server that runs each command at once.</summary>
/// <param name="client">The client.</param>
/// <param name="oracle">Its like.</param>
/// <param name="loop">The number of its loop.</param>
internal sealed class OrderPeer(TestClient client, TestClient oracle, int loop)
{
    private OrderCommand _command;
    private string _expected = "";
    private bool _hasQueuedWrites;

    /// <summary>The client.</summary>
    public TestClient Client { get; } = client;

    /// <summary>The number of its loop.</summary>
    public int Loop { get; } = loop;

    /// <summary>Whether it has sent a command that has not been answered.</summary>
    public bool IsWaiting { get; private set; }

    /// <summary>Whether that command has not happened either.</summary>
    public bool HasSent { get; private set; }

    /// <summary>Whether it may change keys.</summary>
    public bool IsWriting { get; private set; }

    /// <summary>Whether it is between MULTI and EXEC.</summary>
    public bool IsQueueing { get; private set; }

    /// <summary>Whether the slow lane has finished its command.</summary>
    // An execution that is over may be another client's.
    public bool IsCompleted => Client.Session!.Suspended is { State: ExecutionState.Completed } execution
        && execution.Session == Client.Session;

    /// <summary>Whether the result of its command is built and not yet stored.</summary>
    public bool IsBuilt => Client.Session!.Suspended is { State: ExecutionState.Retrying, IsBuilt: true };

    /// <summary>Whether its command is over and held its keys for a second try.</summary>
    public bool HasHeldKeys =>
        IsCompleted && Client.Session!.Suspended!.StorePhase == StorePhase.Holding;

    /// <summary>Sends a command.</summary>
    public void Send(OrderCommand command)
    {
        _command = command;
        IsWaiting = HasSent = true;
        IsWriting = command.IsWriting || (command.Words[0] == "EXEC" && _hasQueuedWrites);
        _hasQueuedWrites = IsQueueing && (_hasQueuedWrites || command.IsWriting);
        Client.Send(command.Words);
    }

    /// <summary>The command happens now.</summary>
    public void Happen(TestServer server)
    {
        HasSent = false;
        oracle.Send(_command.Words);
        server.Run();
        _expected = oracle.Shown();
    }

    /// <summary>Compares the reply with what it had to be.</summary>
    public void Check(string reply)
    {
        if (reply != _expected)
            throw new InvalidDataException($"{this}: {reply}, not {_expected}");
        IsWaiting = false;
        IsQueueing = _command.Words[0] switch
        {
            "MULTI" => true,
            "EXEC" or "DISCARD" => false,
            _ => IsQueueing,
        };
    }

    /// <inheritdoc/>
    public override string ToString() => $"client of loop {Loop}: {string.Join(' ', _command.Words ?? [])}";
}
