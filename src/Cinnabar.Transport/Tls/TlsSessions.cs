using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Tls;

/// <summary>The TLS connections of one loop: the buffers that they share, and those that have input which
/// their sockets do not report. Only the loop uses it.</summary>
internal sealed class TlsSessions : IDisposable
{
    private readonly Queue<Session> _ready = new();
    private TlsPipe? _pipe;
    private bool _isDisposed;

    /// <summary>The buffers; made for the first connection.</summary>
    public TlsPipe Pipe => _pipe ??= new TlsPipe();

    /// <summary>Whether a session has input.</summary>
    public bool HasReady => _ready.Count > 0;

    /// <summary>How many sessions have input; closed ones count.</summary>
    public int ReadyCount => _ready.Count;

    /// <summary>Begins with a session of this loop, if it has TLS. One that was on its way when the loop
    /// ended finds no buffers any more, and is only freed.</summary>
    public void Adopt(Session session, TlsConnection? tls)
    {
        if (_isDisposed)
            tls?.Abandon();
        if (tls is null || _isDisposed)
            return;
        tls.Attach(Pipe);
        if (tls.HasInput)
            Add(session);
    }

    /// <summary>Notes that a session has input.</summary>
    public void Add(Session session) => _ready.Enqueue(session);

    /// <summary>Takes the first session that has been noted.</summary>
    public Session Take() => _ready.Dequeue();

    public void Dispose()
    {
        _isDisposed = true;
        _pipe?.Dispose();
    }
}
