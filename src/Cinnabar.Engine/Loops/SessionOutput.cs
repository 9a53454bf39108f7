// The output side of a loop. Replies of a turn collect in the loop's chunk (ReplyOutput) and are sent when
// the session's last command of the turn has been executed: in the common case one run of bytes, one send,
// and the chunk starts over. What the peer does not take goes to the session's queue, small rests in a small
// block of their own. A session whose queue passes its client-output-buffer-limit is closed; one with more
// than InputStopBytes unsent is not read from until it has taken half: a pipeline of any depth runs in
// bounded memory, and a slow reader delays nobody else.

using System;
using Cinnabar.Engine.Sessions;
using Cinnabar.Memory;
using Cinnabar.Resp;

namespace Cinnabar.Engine.Loops;

/// <summary>Sends what a loop's executions have replied.</summary>
internal sealed unsafe class SessionOutput : IDisposable
{
    private const int SegmentCountMax = 64;
    private const long FlushBytes = 256 * 1024;
    private const long InputStopBytes = 64 << 20;
    private const int CopiedRestMax = 16 * 1024;
    private const int CopiedMessageMax = 4 * 1024;

    private readonly Loop _loop;
    private readonly CommandRunner _runner;
    private readonly ReplyOutput _output;
    private Session? _session;

    /// <summary>Makes the output of a loop; <see cref="MakeWriter"/> gives the writer that fills
    /// it.</summary>
    public SessionOutput(Loop loop, CommandRunner runner)
    {
        _loop = loop;
        _runner = runner;
        _output = new ReplyOutput(loop.Engine);
    }

    private ref ReplyWriter Writer => ref _runner.Current.Reply;

    /// <summary>A writer at the start of the loop's chunk.</summary>
    public ReplyWriter MakeWriter() => _output.MakeWriter();

    /// <summary>Whether all that was written since the last sending lies in the loop's chunk.</summary>
    public bool IsSingleRun => _output.IsSingleRun;

    /// <summary>Whether what is written now is this session's output.</summary>
    public bool IsOf(Session session) => _session == session;

    /// <summary>Turns to a session: what is written from now on is its output.</summary>
    public void Switch(Session session)
    {
        if (_session == session)
            return;
        End();
        _session = session;
        Writer.Protocol = session.Protocol;
    }

    /// <summary>Ends a session's output for now: sends it.</summary>
    public void End()
    {
        if (_session is not { } session)
            return;
        _session = null;
        Flush(session);
    }

    /// <summary>Sends early where a session's replies of this turn grow large; between commands
    /// only.</summary>
    public void FlushIfLarge(Session session)
    {
        if (_output.ByteCount(Writer.Cursor) >= FlushBytes)
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

    /// <summary>Appends what an execution wrote off the loop.</summary>
    public void Append(Session session, ReplyOutput output, ref ReplyWriter writer)
    {
        Switch(session);
        QueueOwn(session);
        output.MoveTo(session.Unsent!, ref writer);
        if (!session.Unsent!.IsPending)
            SendQueue(session);
    }

    /// <summary>Goes on sending to a peer that takes bytes again.</summary>
    public void Continue(Session session)
    {
        if (!session.IsClosed && session.Unsent is { IsPending: false })
            SendQueue(session);
    }

    /// <summary>A pending send has ended.</summary>
    public void Completed(Session session, long byteCount)
    {
        if (session.Unsent is not { } queue)
            return;
        queue.IsPending = false;
        session.BytesSent += byteCount;
        _loop.Statistics.BytesSent += byteCount;
        queue.Advance(byteCount);
        if (session.IsClosed)
            Drop(session);
        else
            SendQueue(session);
    }

    /// <summary>Forgets a closed session's output.</summary>
    public void Drop(Session session)
    {
        if (_session == session)
        {
            _output.Discard(ref Writer);
            _session = null;
        }

        if (session.Unsent is not { IsPending: false } queue)
            return;
        queue.Clear();
        session.Unsent = null;
    }

    /// <inheritdoc/>
    public void Dispose() => _output.Dispose();

    private void Flush(Session session)
    {
        long length = _output.ByteCount(Writer.Cursor);
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
                CheckLimits(session);
            else
                SendQueue(session);
            return;
        }

        var segment = new OutputSegment { Data = _output.RunStart, Length = length };
        long sent = _loop.Transport.Send(session, &segment, 1);
        _loop.Statistics.WriteCount++;
        if (sent == length)
        {
            session.BytesSent += sent;
            _loop.Statistics.BytesSent += sent;
            _output.Restart(ref Writer);
            CloseIfDone(session);
        }
        else
        {
            KeepRest(session, sent, length);
        }
    }

    private void KeepRest(Session session, long sent, long length)
    {
        if (sent == LoopTransport.SendFailed)
        {
            _output.Discard(ref Writer);
            _runner.Close(session);
            return;
        }

        if (sent == LoopTransport.SendPending)
        {
            QueueOwn(session);
            session.Unsent!.IsPending = true;
            return;
        }

        session.BytesSent += sent;
        _loop.Statistics.BytesSent += sent;
        long rest = length - sent;
        if (rest > CopiedRestMax)
        {
            QueueOwn(session);
            session.Unsent!.Advance(sent);
        }
        else
        {
            SharedBlock* block = SharedBlock.Create(_loop.Engine.Chunks, (int)rest);
            Buffer.MemoryCopy(_output.RunStart + sent, block->Data, rest, rest);
            QueueOf(session).Append(new OutputSegment { Data = block->Data, Length = rest, Block = block });
            _output.Restart(ref Writer);
        }

        CheckLimits(session);
    }

    private OutputQueue QueueOf(Session session) =>
        session.Unsent ??= new OutputQueue(_loop.Engine.Keyspace.Blocks);

    private void QueueOwn(Session session)
    {
        _output.MoveTo(QueueOf(session), ref Writer);
        _output.Restart(ref Writer);
    }

    private void SendQueue(Session session)
    {
        OutputSegment* segments = stackalloc OutputSegment[SegmentCountMax];
        OutputQueue queue = session.Unsent!;
        while (queue.ByteCount > 0)
        {
            int count = queue.CopyFirst(segments, SegmentCountMax);
            long length = 0;
            for (int index = 0; index < count; index++)
                length += segments[index].Length;
            long sent = _loop.Transport.Send(session, segments, count);
            _loop.Statistics.WriteCount++;
            if (sent == LoopTransport.SendFailed)
            {
                _runner.Close(session);
                return;
            }

            if (sent == LoopTransport.SendPending)
            {
                queue.IsPending = true;
                break;
            }

            session.BytesSent += sent;
            _loop.Statistics.BytesSent += sent;
            queue.Advance(sent);
            if (sent < length)
                break;
        }

        AfterSending(session, queue);
    }

    private void AfterSending(Session session, OutputQueue queue)
    {
        if (queue.ByteCount == 0)
        {
            queue.Clear();
            session.Unsent = null;
            session.OutputLimitSinceMs = 0;
            CloseIfDone(session);
        }
        else
        {
            CheckLimits(session);
        }

        if (session.IsReadingStopped && !session.IsClosed && queue.ByteCount < InputStopBytes / 2)
        {
            // Not now: inputs of this turn are being executed, perhaps this session's.
            _loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Continue, Target = session });
        }
    }

    private void CheckLimits(Session session)
    {
        long unsent = session.Unsent?.ByteCount ?? 0;
        if (_loop.Engine.OutputLimits.IsExceeded(session, unsent, _runner.NowMs))
        {
            _loop.Engine.NoteOutputLimitClose(session, unsent);
            _runner.Close(session);
        }
        else if (unsent > InputStopBytes && !session.IsReadingStopped)
        {
            session.IsReadingStopped = true;
            _loop.Transport.SetReading(session, false);
        }
    }

    private void CloseIfDone(Session session)
    {
        if ((session.Flags & SessionFlags.CloseAfterReply) != 0 && session.Unsent is null)
            _runner.Close(session);
    }
}
