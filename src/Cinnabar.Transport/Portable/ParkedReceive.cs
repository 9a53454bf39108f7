using System.Net.Sockets;

namespace Cinnabar.Transport.Portable;

/// <summary>
/// An asynchronous receive of no bytes: it ends when its connection has something to read. Used again and
/// again.
/// </summary>
internal sealed class ParkedReceive : SocketAsyncEventArgs
{
    private readonly ParkedQueue _queue;

    /// <summary>Makes a receive whose end is reported to a queue.</summary>
    public ParkedReceive(ParkedQueue queue)
        : base(true)
    {
        _queue = queue;
    }

    /// <summary>The connection that is parked.</summary>
    public PortableConnection? Connection { get; set; }

    /// <summary>The receive that ended before this one, while both are in the queue.</summary>
    public ParkedReceive? Earlier { get; set; }

    protected override void OnCompleted(SocketAsyncEventArgs e) => _queue.Post(this);
}
