// A client's end of a connection, for one thread: commands are collected and sent together, replies are
// taken in order. The import reads another server by one such link and writes this one by another.

using Cinnabar.Resp;
using Cinnabar.Transport.InProcess;
using Cinnabar.Wire;

namespace Cinnabar.Importing;

/// <summary>A connection to a server. Abandon may be called from any thread.</summary>
internal abstract class RespLink : IDisposable
{
    private readonly ByteQueue _output = new();
    private readonly ReplyQueue _replies = new();
    private int _database;

    /// <summary>Collects a command.</summary>
    public void Add(params ReadOnlySpan<byte[]> arguments) => _output.Append(RequestFrame.Make(arguments));

    /// <summary>Collects a command.</summary>
    public void Add(params string[] words) => Add(RequestFrame.Encode(words));

    /// <summary>Sends the collected commands.</summary>
    /// <exception cref="ImportException">The connection broke.</exception>
    public void Send()
    {
        Write(_output.Span);
        _output.RemoveFront(_output.Count);
    }

    /// <summary>Takes the next reply, and waits for it.</summary>
    /// <exception cref="ImportException">The connection broke.</exception>
    public Reply Receive()
    {
        Reply? reply;
        while ((reply = TryTake()) is null)
            Read(_replies.Bytes);
        return reply;
    }

    /// <summary>Takes the next reply if it has been received.</summary>
    public Reply? TryTake()
    {
        if (_replies.Take(out Reply? reply) == ReplyReadOutcome.Malformed)
            throw new ImportException($"{this} does not speak the protocol");
        return reply;
    }

    /// <summary>Sends a command and takes its reply.</summary>
    public Reply Call(params ReadOnlySpan<byte[]> arguments)
    {
        Add(arguments);
        Send();
        return Receive();
    }

    /// <summary>Sends a command and takes its reply.</summary>
    public Reply Call(params string[] words) => Call(RequestFrame.Encode(words));

    /// <summary>Selects a database where another is selected.</summary>
    /// <returns>False: there is no such database.</returns>
    public bool TrySelect(int database)
    {
        if (database == _database)
            return true;
        if (Call("SELECT", database.ToString(CultureInfo.InvariantCulture)).IsError)
            return false;
        _database = database;
        return true;
    }

    /// <summary>Selects a database that is there.</summary>
    /// <exception cref="ImportException">It is not.</exception>
    public void Select(int database)
    {
        if (!TrySelect(database))
            throw new ImportException($"{this} has no database {database}: set \"databases\" there");
    }

    /// <summary>Ends the connection; from any thread.</summary>
    public abstract void Abandon();

    /// <inheritdoc/>
    public abstract void Dispose();

    /// <summary>Bytes that were received go here.</summary>
    protected ByteQueue Received => _replies.Bytes;

    /// <summary>Sends bytes.</summary>
    protected abstract void Write(ReadOnlySpan<byte> bytes);

    /// <summary>Waits for bytes and appends them.</summary>
    protected abstract void Read(ByteQueue target);
}
