using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>Sends what the feeds of a loop's sessions have.</summary>
/// <param name="loop">The loop.</param>
/// <param name="executions">Its executions.</param>
/// <param name="output">Its output.</param>
internal sealed unsafe class FeedOutput(Loop loop, LoopExecutions executions, SessionOutput output)
{
    private const int SegmentCountMax = 16;

    private readonly Loop _loop = loop;
    private readonly SessionOutput _output = output;
    private readonly OutputLimitCheck _limits = new(loop, executions, output.Closing);
    private readonly ServerJournal _journal = loop.Server.Journal;

    /// <summary>Sends what a session's feed has, as far as the peer takes it. When it takes more, the feed is
    /// woken (SessionOutput).</summary>
    public void Send(Session session)
    {
        // What was written for it, or postponed, comes before.
        _output.Switch(session);
        _output.FlushIfLarge(session, bytes: 0);
        // SAFETY: the segments' references keep their bytes until they are released or queued.
        OutputSegment* segments = stackalloc OutputSegment[SegmentCountMax];
        while (!session.IsClosed && session.Unsent is null)
        {
            int count = 0;
            while (count < SegmentCountMax && session.Feed!.TryTake(out segments[count]))
                count++;
            if (count == 0)
                break;
            Send(session, segments, count);
        }

        if (!session.IsClosed)
            _limits.Check(session);
    }

    // What the peer does not take, and what must wait for the disk, goes to the session's unsent output.
    private void Send(Session session, OutputSegment* segments, int count)
    {
        long length = 0;
        for (int index = 0; index < count; index++)
            length += segments[index].Length;
        long position = _journal.Settle();
        long sent = position > 0 ? 0 : _loop.Transport.Send(session, segments, count);
        _loop.Statistics.WriteCount++;
        if (sent == length || sent == LoopTransport.SendFailed)
        {
            for (int index = 0; index < count; index++)
                segments[index].Block->Release();
            if (sent == length)
                _output.CountSent(session, sent);
            else
                _output.Closing.Close(session);
            return;
        }

        OutputQueue queue = UnsentOutput.QueueOf(session, _loop.Server);
        for (int index = 0; index < count; index++)
            queue.Append(in segments[index]);
        if (position > 0)
        {
            _output.Held.Hold(session, position);
            return;
        }

        queue.Check(0);
        queue.IsPending = sent == LoopTransport.SendPending;
        if (queue.IsPending)
            return;
        _output.CountSent(session, sent);
        queue.Advance(sent);
    }
}
