namespace Cinnabar.Replication;

/// <summary>A place in a stream, from which one caller at a time goes on. What lies behind it is
/// kept.</summary>
public sealed class BacklogReader : IDisposable
{
    private readonly ReplicationBacklog _backlog;

    internal BacklogReader(ReplicationBacklog backlog, long position) =>
        (_backlog, Position) = (backlog, position);

    /// <summary>The offset behind the last byte that was taken.</summary>
    public long Position { get; internal set; }

    /// <summary>Bytes that have not been taken.</summary>
    public long UnreadBytes => _backlog.UnreadBytesOf(this);

    internal bool IsDisposed { get; private set; }

    /// <summary>Takes bytes that lie together.</summary>
    /// <param name="bytesMax">How many at most.</param>
    /// <param name="segment">The bytes; one reference of their block is the caller's.</param>
    /// <returns>False where there are none now.</returns>
    public bool TryTake(int bytesMax, out BacklogSegment segment)
    {
        Debug.Assert(bytesMax > 0, "room for a byte");
        return _backlog.TryTake(this, bytesMax, out segment);
    }

    /// <summary>Ends it: nothing is kept for it any more.</summary>
    public void Dispose()
    {
        IsDisposed = true;
        _backlog.Remove(this);
    }
}
