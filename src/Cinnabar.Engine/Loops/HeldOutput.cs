// The sessions of a loop whose replies wait for the journal's disk (appendfsync always). Their bytes are in
// their queues of unsent output, in order; when the journal has become durable further, the loop sends what
// may leave.

using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>Sends what has waited for the journal.</summary>
/// <param name="loop">The loop.</param>
/// <param name="send">Sends a session's unsent output as far as it may leave.</param>
internal sealed class HeldOutput(Loop loop, Action<Session> send)
{
    private readonly Loop _loop = loop;
    private readonly ServerJournal _journal = loop.Server.Journal;
    private readonly Action<Session> _send = send;
    private readonly List<Session> _sessions = [];
    private Action? _release;
    private int _hasHeld;
    private int _isPosted;

    /// <summary>Holds what has come to a session's unsent output.</summary>
    /// <param name="session">The session.</param>
    /// <param name="position">The position that must be durable first.</param>
    public void Hold(Session session, long position)
    {
        session.Unsent!.Check(position);
        Add(session);
    }

    /// <summary>How many bytes of a session's unsent output may leave.</summary>
    public long FreeBytes(OutputQueue queue)
    {
        if (queue.HasUnchecked)
            queue.Check(_journal.Settle());
        return queue.IsHeld ? queue.FreeBytes(_journal.DurablePosition) : queue.ByteCount;
    }

    /// <summary>Notes a session with output that must wait.</summary>
    public void Add(Session session)
    {
        OutputQueue queue = session.Unsent!;
        Debug.Assert(queue.IsHeld, "nothing waits");
        if (!queue.IsListed)
        {
            queue.IsListed = true;
            _sessions.Add(session);
        }

        // ORDER: the flag is set, with a full fence, before the journal's position is read; Advance reads the
        // flag after the position was written. So this sees the position, or that sees the flag.
        Interlocked.Exchange(ref _hasHeld, 1);
        // It stays held until it is sent: a release that is under way keeps it in the list.
        if (queue.IsDue(_journal.DurablePosition))
            Post();
    }

    /// <summary>Later positions have become durable; from any thread.</summary>
    public void Advance()
    {
        // ORDER: see Add.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _hasHeld) != 0)
            Post();
    }

    private void Post()
    {
        if (Interlocked.Exchange(ref _isPosted, 1) == 0)
            _loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Run, Target = _release ??= Release });
    }

    private void Release()
    {
        // ORDER: cleared, with a full fence, before the positions are read: a later one posts again.
        Interlocked.Exchange(ref _isPosted, 0);
        int keptCount = 0;
        // Sending may close a session, and adds none to this list.
        for (int index = 0; index < _sessions.Count; index++)
        {
            Session session = _sessions[index];
            // What a later reply took along has left nothing here, and the session may have moved.
            if (!_loop.Has(session))
                continue;
            if (session.Unsent is { IsListed: true, IsPending: false })
                _send(session);
            if (session.IsClosed || session.Unsent is not { IsListed: true } queue)
                continue;
            if (queue.IsHeld)
                _sessions[keptCount++] = session;
            else
                queue.IsListed = false;
        }

        _sessions.RemoveRange(keptCount, _sessions.Count - keptCount);
        if (keptCount == 0)
            Volatile.Write(ref _hasHeld, 0);
    }
}
