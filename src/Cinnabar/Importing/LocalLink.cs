using Cinnabar.Resp;
using Cinnabar.Transport;
using Cinnabar.Transport.InProcess;

namespace Cinnabar.Importing;

/// <summary>A connection to this server, which may do everything and sees keys past their deadline.</summary>
internal sealed class LocalLink : RespLink
{
    private readonly SemaphoreSlim _received = new(0);
    private readonly InProcessConnection _connection;
    private volatile bool _isAbandoned;

    /// <summary>Connects.</summary>
    /// <param name="host">The server's transports.</param>
    public LocalLink(TransportHost host)
    {
        _connection = host.Connect(() => _received.Release(), isTrusted: true);
        Call("CLIENT", "SETNAME", "cinnabar-import");
        Call("CLIENT", "NO-EVICT", "ON");
        Call("CLIENT", "NO-TOUCH", "ON");
        // Refused where the import is about to end: then keys past their deadline need not be seen.
        Call("CLIENT", "IMPORT-SOURCE", "ON");
    }

    /// <inheritdoc/>
    public override void Abandon()
    {
        _isAbandoned = true;
        _received.Release();
    }

    /// <inheritdoc/>
    public override void Dispose() => _connection.Close();

    /// <inheritdoc/>
    public override string ToString() => "this server";

    /// <inheritdoc/>
    protected override void Write(ReadOnlySpan<byte> bytes)
    {
        if (!bytes.IsEmpty && !_connection.Write(bytes))
            throw Ended();
    }

    /// <inheritdoc/>
    protected override void Read(ByteQueue target)
    {
        _received.Wait();
        bool isEnded = _connection.IsEnded;
        int count = target.Count;
        _connection.ReadTo(target);
        if (_isAbandoned || (isEnded && target.Count == count))
            throw Ended();
    }

    private static ImportException Ended() => new("The import's connection to this server was ended");
}
