// Messages from any thread to one loop. Producers append to an array under a spin lock held for a few
// nanoseconds; the loop takes the whole array and leaves its other one: no allocation once both have grown to
// the busiest turn's size. Executions post while they hold their stripes, so that messages about one key keep
// the order of its changes; the loop is woken once, after the first message of a batch.

using Cinnabar.Messaging;

namespace Cinnabar.Engine.Mail;

/// <summary>A multi-producer, single-consumer queue.</summary>
internal sealed class Mailbox
{
    private const int CapacityMin = 64;

    // Far below the output limits, and about what sockets take at once.
    private const long PublishedBytesMax = 1 << 20;

    private int _isHeld;
    private MailboxMessage[] _incoming = new MailboxMessage[CapacityMin];
    private MailboxMessage[] _taken = new MailboxMessage[CapacityMin];
    private int _count;
    private int _takenCount;
    private int _otherCount;
    private long _publishedBytes;
    private ISubscriber? _soughtFor;
    private int _soughtCount;

    /// <summary>Whether nothing has been posted since the last <see cref="Take"/>.</summary>
    public bool IsEmpty => Volatile.Read(ref _count) == 0;

    /// <summary>Whether so many published messages wait that they could exceed the output limits of
    /// subscribers whose sockets take all; from any thread.</summary>
    public bool IsFarBehind => Volatile.Read(ref _publishedBytes) > PublishedBytesMax;

    /// <summary>How many messages TakePublished has checked.</summary>
    public long LookedAtCount { get; private set; }

    /// <summary>Appends a message; from any thread.</summary>
    public void Post(in MailboxMessage message)
    {
        Enter();
        if (_count == _incoming.Length)
            Grow();
        _incoming[_count] = message;
        if (message.Kind == MailboxMessageKind.Publish)
            _publishedBytes += message.Length;
        else
            _otherCount++;
        Volatile.Write(ref _count, _count + 1);
        Exit();
    }

    /// <summary>
    /// Takes the published messages for one subscriber out of their turn, in order; the other messages stay.
    /// A subscriber that asks again, as for each of a hundred thousand channels that it leaves, is shown what
    /// has come since: all loops that publish wait meanwhile.
    /// </summary>
    public void TakePublished(ISubscriber subscriber, List<MailboxMessage> target)
    {
        if (IsEmpty)
            return;
        Enter();
        int known = ReferenceEquals(subscriber, _soughtFor) ? _soughtCount : 0;
        (_soughtFor, _soughtCount) = (subscriber, _count);
        LookedAtCount += _count - known;
        foreach (ref MailboxMessage message in _incoming.AsSpan(known, _count - known))
        {
            if (message.Kind != MailboxMessageKind.Publish
                || ((Subscription)message.Target!).Subscriber != subscriber)
                continue;
            target.Add(message);
            _publishedBytes -= message.Length;
            message = default;
        }

        Exit();
    }

    /// <summary>Takes all messages in order; the span is valid until another is taken.</summary>
    public Span<MailboxMessage> Take() => Take(isPublishedOnly: false);

    /// <summary>
    /// Takes all messages if they are published ones; else none. At the end of a turn they are sent before
    /// more is received: the clients that published have their replies and send meanwhile, so that the next
    /// turn has more messages for each of its sends.
    /// </summary>
    public Span<MailboxMessage> TakeIfPublished() => Take(isPublishedOnly: true);

    private Span<MailboxMessage> Take(bool isPublishedOnly)
    {
        if (IsEmpty)
            return default;
        _taken.AsSpan(0, _takenCount).Clear();
        _takenCount = 0;
        Enter();
        if (!isPublishedOnly || _otherCount == 0)
        {
            (_incoming, _taken) = (_taken, _incoming);
            _takenCount = _count;
            _publishedBytes = 0;
            _otherCount = 0;
            _soughtFor = null;
            Volatile.Write(ref _count, 0);
        }

        Exit();
        return _taken.AsSpan(0, _takenCount);
    }

    // Out of line: Post is inlined into what batches run.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Grow() => Array.Resize(ref _incoming, 2 * _count);

    // ORDER: the compare-and-swap is a full fence: nothing read under the lock can move before it.
    private void Enter()
    {
        if (Interlocked.CompareExchange(ref _isHeld, 1, 0) != 0)
            EnterContended();
    }

    // Out of line, as Grow: a thread that sleeps may allocate.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EnterContended()
    {
        var spinner = default(SpinWait);
        do
            spinner.SpinOnce();
        while (Interlocked.CompareExchange(ref _isHeld, 1, 0) != 0);
    }

    // ORDER: a release: what was written under the lock is visible before it is free.
    private void Exit() => Volatile.Write(ref _isHeld, 0);
}
