// The invalidations that a session has yet to be sent, in the order in which the changes were committed. A
// thread that commits a change appends under the locks of the change; the session's loop takes. The loop is
// notified once for all that it has not taken.
//
// PostedCount is a position: who holds the lock of a key and reads it knows that the invalidations of all
// changes that it can see have lower positions.

using Cinnabar.Engine.Mail;

namespace Cinnabar.Engine.Sessions;

/// <summary>The invalidations of one session.</summary>
internal sealed unsafe class InvalidationQueue(Session session)
{
    private readonly Lock _lock = new();
    private readonly Queue<Invalidation> _items = [];
    private long _postedCount;
    private long _takenCount;
    private bool _isNotified;
    private bool _isClosed;

    /// <summary>Number of invalidations that were ever appended. From any thread.</summary>
    public long PostedCount => Volatile.Read(ref _postedCount);

    /// <summary>Whether there is nothing to take. Exact on the session's loop for what was appended under
    /// locks that it holds.</summary>
    public bool IsEmpty => Volatile.Read(ref _postedCount) == Volatile.Read(ref _takenCount);

    /// <summary>Appends an invalidation, and its reference of the block.</summary>
    public void Add(in Invalidation invalidation)
    {
        lock (_lock)
        {
            if (_isClosed)
            {
                Release(in invalidation);
                return;
            }

            _items.Enqueue(invalidation);
            Volatile.Write(ref _postedCount, _postedCount + 1);
            if (_isNotified)
                return;
            _isNotified = true;
        }

        Notify();
    }

    /// <summary>Has the loop look again: what it left when it was notified may be shown now. From any
    /// thread.</summary>
    public void Notify() => session.Loop.Post(
        new MailboxMessage { Kind = MailboxMessageKind.Invalidate, Target = session });

    /// <summary>Takes the next one before a position; its block's reference is the caller's.</summary>
    public bool TryTake(long position, out Invalidation invalidation)
    {
        lock (_lock)
        {
            invalidation = default;
            if (_takenCount >= position || !_items.TryDequeue(out invalidation))
                return false;
            Volatile.Write(ref _takenCount, _takenCount + 1);
            return true;
        }
    }

    /// <summary>The loop has its notification: the next one that is appended notifies it again.</summary>
    public void BeginDelivery()
    {
        lock (_lock)
            _isNotified = false;
    }

    /// <summary>Forgets all: the session has closed.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _isClosed = true;
            foreach (Invalidation invalidation in _items)
                Release(in invalidation);
            _items.Clear();
        }
    }

    private static void Release(in Invalidation invalidation)
    {
        // SAFETY: an invalidation holds one reference of its block, if it has one.
        if (invalidation.Block != null)
            invalidation.Block->Release();
    }
}
