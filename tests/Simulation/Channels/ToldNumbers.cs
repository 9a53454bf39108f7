using System.IO;
using Cinnabar.Tests.Simulation.Histories;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Channels;

/// <summary>Subscribes to the count that scripts publish (<see cref="ScriptWorkload"/>): each number comes
/// once and in order, whatever has made a script run again.</summary>
internal sealed class ToldNumbers : IWorkload
{
    private bool _hasSubscribed;

    /// <summary>For the canary: the next number that comes is overlooked.</summary>
    public bool OverlooksMessage { get; set; }

    /// <summary>The last number that came over this connection; 0: none.</summary>
    public long Last { get; private set; }

    /// <summary>How many numbers have come.</summary>
    public long ReceivedCount { get; private set; }

    /// <inheritdoc/>
    public Request Next()
    {
        string[] command = _hasSubscribed ? ["PING"] : ["SUBSCRIBE", ScriptWorkload.Channel];
        _hasSubscribed = true;
        return Request.Of(command, static reply => reply.Kind == '*');
    }

    /// <inheritdoc/>
    public bool TryPush(RespValue reply)
    {
        if (reply.Items is not [{ Text: "message" }, _, { } number])
            return false;
        ReceivedCount++;
        if (OverlooksMessage && Last != 0)
        {
            OverlooksMessage = false;
            return true;
        }

        if (Last != 0 && number.Integer != Last + 1)
            throw new InvalidDataException($"{number.Text} was published after {Last}.");
        Last = number.Integer;
        return true;
    }

    /// <inheritdoc/>
    public void Disconnect() => (_hasSubscribed, Last) = (false, 0);
}
