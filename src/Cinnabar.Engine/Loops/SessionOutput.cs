// The output side of a loop. Replies of a turn collect in the loop's chunk (ReplyOutput), one session's run
// of bytes behind the other's, and are sent together: when the chunk is full, at the end of the turn, or when
// the first have waited (PostponedRuns): a peer that waits wakes up once. That costs as much as a send.
//
// Bytes that the peer does not take go to the session's queue, smaller rests in their own block. A session
// whose queue exceeds its client-output-buffer-limit is closed; one with more than a bound unsent is
// not read from until it has taken half: a pipeline of any depth runs in bounded memory, and a slow reader
// delays no other session.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Sessions;
using Cinnabar.Memory;

namespace Cinnabar.Engine.Loops;

/// <summary>Sends the replies of a loop's executions.</summary>
internal sealed unsafe class SessionOutput : IDisposable
{
    /// <summary>A session's replies of so many bytes are sent between two of its commands.</summary>
    public const long FlushBytes = 256 * 1024;
    private const int SegmentCountMax = 64;
    private const int CopiedMessageMax = 4 * 1024;

    private readonly Loop _loop;
    private readonly LoopExecutions _executions;
    private readonly ReplyOutput _output;
    private readonly OutputLimitCheck _limits;
    private readonly ServerJournal _journal;
    private readonly PostponedRuns _postponed = new();

    public SessionOutput(Loop loop, LoopExecutions executions)
    {
        (_loop, _executions) = (loop, executions);
        _output = loop.Server.MakeOutput(ReplyOutput.LoopChunkSize);
        Closing = new SessionClosing(loop, executions, this);
        _limits = new OutputLimitCheck(loop, executions, Closing);
        _journal = loop.Server.Journal;
        Held = new HeldOutput(loop, SendQueue);
    }

    /// <summary>Ends the loop's sessions.</summary>
    public SessionClosing Closing { get; }

    /// <summary>The sessions whose replies wait for the journal's disk.</summary>
    public HeldOutput Held { get; }

    private ref ReplyWriter Writer => ref _executions.Current.Reply;

    /// <summary>A writer at the start of the loop's chunk.</summary>
    public ReplyWriter MakeWriter() => _output.MakeWriter();

    /// <summary>Bytes written for the current session since its replies were sent or postponed.</summary>
    public long ByteCount => _output.ByteCount(Writer.Cursor);

    /// <summary>As <see cref="ByteCount"/>, for a caller that has the writer's cursor.</summary>
    public long ByteCountAt(byte* cursor) => _output.ByteCount(cursor);

    /// <summary>The session whose output is being written; null: none.</summary>
    public Session? Session { get; private set; }

    /// <summary>Whether what is written now is this session's output.</summary>
    public bool IsOf(Session session) => Session == session;

    /// <summary>Switches to a session: later writes are its output.</summary>
    /// <returns>Whether something was sent.</returns>
    public bool Switch(Session session)
    {
        if (Session == session)
            return false;
        bool hasSent = Postpone();
        Session = session;
        _output.Session = session;
        Writer.Protocol = session.Protocol;
        return hasSent;
    }

    /// <summary>Ends the output for now: sends everything.</summary>
    public void End()
    {
        Postpone();
        SendPostponed();
        Session = null;
    }

    /// <summary>Sends replies that have been ready for a while; after each batch.</summary>
    public void EndBatch(long nowNs)
    {
        if (_postponed.IsDue(nowNs))
            SendPostponed();
    }

    /// <summary>Sends large output early; only between commands or messages.</summary>
    public void FlushIfLarge(Session session, long bytes = FlushBytes)
    {
        if (ByteCount >= bytes)
            Flush(session);
    }

    /// <summary>Appends a message (pub/sub, monitor) to a session's output.</summary>
    public void Deliver(Session session, SharedBlock* block, int length)
    {
        if (session.IsClosed)
            return;
        Switch(session);
        // A message is encoded once for all its receivers: only its first byte depends on their protocol.
        // SAFETY: the message holds a reference of the block until it has been delivered.
        byte first = block->Data[0];
        if (first == (byte)'>' && session.Protocol < 3)
            first = (byte)'*';
        Writer.Raw(new ReadOnlySpan<byte>(&first, 1));
        if (length <= CopiedMessageMax)
            Writer.Raw(new ReadOnlySpan<byte>(block->Data + 1, length - 1));
        else
            _output.AppendReference(ref Writer, block, block->Data + 1, length - 1);
    }

    /// <summary>Appends an invalidation to a session's output.</summary>
    public void Push(Session session, ReadOnlySpan<byte> head, ReadOnlySpan<byte> body)
    {
        Switch(session);
        Writer.Raw(head);
        Writer.Raw(body);
    }

    /// <summary>Appends the output that an execution wrote off the loop.</summary>
    public void Append(Session session, ReplyOutput output, ref ReplyWriter writer)
    {
        Switch(session);
        SendPostponed();
        if (session.IsClosed)
        {
            output.Discard(ref writer);
            return;
        }

        QueueOwn(session);
        if (_limits.CloseIfOver(session, output.ByteCount(writer.Cursor)))
            output.Discard(ref writer);
        else
            output.MoveTo(session.Unsent!, ref writer);
        if (session.Unsent is { IsPending: false })
            SendQueue(session);
    }

    /// <summary>Continues sending to a peer that takes bytes again.</summary>
    public void Continue(Session session)
    {
        if (!session.IsClosed && session.Unsent is { IsPending: false }) SendQueue(session);
    }

    /// <summary>A pending send has ended.</summary>
    public void Completed(Session session, long byteCount)
    {
        if (session.Unsent is not { } queue)
            return;
        queue.IsPending = false;
        CountSent(session, byteCount);
        queue.Advance(byteCount);
        if (session.IsClosed)
            Drop(session);
        else
            SendQueue(session);
    }

    /// <summary>Counts bytes that a peer has taken: it is not idle, though it may read slowly.</summary>
    public void CountSent(Session session, long byteCount)
    {
        if (byteCount > 0)
            session.NoteInteraction(_executions.NowMs);
        session.BytesSent += byteCount;
        _loop.Statistics.BytesSent += byteCount;
        _loop.Statistics.ReplicaBytesSent += (session.Flags & SessionFlags.Replica) != 0 ? byteCount : 0;
    }

    /// <summary>Forgets a closed session's output.</summary>
    public void Drop(Session session)
    {
        if (Session == session)
        {
            _output.Discard(ref Writer);
            Session = null;
        }

        if (session.Unsent is not { IsPending: false } queue)
            return;
        queue.Clear();
        session.Unsent = null;
    }

    public void Dispose()
    {
        _postponed.Dispose();
        _output.Dispose();
    }

    /// <summary>Postpones the current session's replies, or sends them where they are not one run.</summary>
    /// <returns>Whether something was sent.</returns>
    private bool Postpone()
    {
        if (Session is not { } session)
            return false;
        if (_limits.CloseIfOver(session, ByteCount))
            return true;
        Session = null;
        byte* cursor = Writer.Cursor;
        if (cursor == _output.RunStart || !_output.IsSingleRun || session.IsClosed)
        {
            Flush(session);
            return true;
        }

        _postponed.Add(session, _output.TakeRun(cursor));
        if (!_postponed.IsFull && _output.HasRoom(cursor))
            return false;
        SendPostponed();
        return true;
    }

    private void SendPostponed()
    {
        long position = _postponed.Prepare(_journal, _loop);
        // Sending may close sessions, which looks at the current output only, never at this list.
        for (int index = 0; index < _postponed.Count; index++)
        {
            (Session session, OutputSegment run) = _postponed.Take(index);
            if (session.IsClosed)
                run.Block->Release();
            else if (session.Unsent is not null)
                QueueRun(session, in run);
            else
                SendRun(session, ref run, position);
        }

        _postponed.Clear();
        if (ByteCount == 0)
            _output.Restart(ref Writer);
    }

    /// <summary>Sends a run; it waits for a position of the journal (null: the journal says which), or for
    /// the peer, in the queue.</summary>
    private void SendRun(Session session, ref OutputSegment run, long? settled = null)
    {
        if ((settled ?? _journal.Settle()) is > 0 and long position)
        {
            UnsentOutput.QueueOf(session, _loop.Server).Append(_output.CopyIfSmall(in run));
            Held.Hold(session, position);
            return;
        }

        long sent = _loop.Transport.Send(session, (OutputSegment*)Unsafe.AsPointer(ref run), 1);
        _loop.Statistics.WriteCount++;
        if (sent == run.Length)
        {
            CountSent(session, sent);
            run.Block->Release();
            CloseIfDone(session);
            return;
        }

        if (sent == LoopTransport.SendFailed)
        {
            run.Block->Release();
            Closing.Close(session);
            return;
        }

        OutputQueue queue = UnsentOutput.QueueOf(session, _loop.Server);
        if (sent == LoopTransport.SendPending)
        {
            queue.Append(in run);
            queue.Check(0);
            queue.IsPending = true;
            return;
        }

        CountSent(session, sent);
        run.Data += sent;
        run.Length -= sent;
        queue.Append(_output.CopyIfSmall(in run));
        queue.Check(0);
        _limits.Check(session);
    }

    /// <summary>Appends a run to the session's unsent output.</summary>
    private void QueueRun(Session session, in OutputSegment run)
    {
        session.Unsent!.Append(_output.CopyIfSmall(in run));
        if (session.Unsent.IsPending)
            _limits.Check(session);
        else
            SendQueue(session);
    }

    private void Flush(Session session)
    {
        SendPostponed();
        long length = ByteCount;
        if (_limits.CloseIfOver(session, length))
            return;
        if (length == 0)
        {
            CloseIfDone(session);
            return;
        }

        if (session.IsClosed)
        {
            _output.Discard(ref Writer);
            return;
        }

        if (session.Unsent is not null || !_output.IsSingleRun)
        {
            QueueOwn(session);
            if (session.Unsent!.IsPending)
                _limits.Check(session);
            else
                SendQueue(session);
            return;
        }

        OutputSegment run = _output.TakeRun(Writer.Cursor);
        SendRun(session, ref run);
        _output.Restart(ref Writer);
    }

    private void QueueOwn(Session session)
    {
        _output.MoveTo(UnsentOutput.QueueOf(session, _loop.Server), ref Writer);
        _output.Restart(ref Writer);
    }

    private void SendQueue(Session session)
    {
        OutputSegment* segments = stackalloc OutputSegment[SegmentCountMax];
        OutputQueue queue = session.Unsent!;
        while (Held.FreeBytes(queue) is > 0 and long free)
        {
            int count = queue.CopyFirst(segments, SegmentCountMax, free);
            long length = 0;
            for (int index = 0; index < count; index++)
                length += segments[index].Length;
            long sent = _loop.Transport.Send(session, segments, count);
            _loop.Statistics.WriteCount++;
            if (sent == LoopTransport.SendFailed)
            {
                Closing.Close(session);
                return;
            }

            if (sent == LoopTransport.SendPending)
            {
                queue.IsPending = true;
                break;
            }

            CountSent(session, sent);
            queue.Advance(sent);
            if (sent < length)
                break;
        }

        if (queue.IsHeld)
            Held.Add(session);
        AfterSending(session, queue);
    }

    private void AfterSending(Session session, OutputQueue queue)
    {
        if (queue.ByteCount == 0)
        {
            queue.Clear();
            session.Unsent = null;
            if (session.Feed is null)
                session.OutputLimitSinceMs = 0;
            CloseIfDone(session);
            session.Feed?.Wake();
        }
        else
        {
            _limits.Check(session);
        }

        // Not now: inputs of this turn are being executed, perhaps this session's.
        if (session.IsReadingStopped && !session.IsClosed
            && queue.ByteCount < OutputLimitCheck.InputStopBytes / 2)
            _loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Continue, Target = session });
    }

    private void CloseIfDone(Session session)
    {
        if ((session.Flags & SessionFlags.CloseAfterReply) != 0 && session.Unsent is null
            && !_postponed.Has(session) && (Session != session || ByteCount == 0))
            Closing.Close(session);
    }
}
