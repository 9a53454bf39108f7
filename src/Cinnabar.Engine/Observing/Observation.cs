// The observers of executed commands. Most commands pay only the few comparisons of NeedsEveryTime, and those
// of constant cost are not even timed one by one (CommandTimer). Still no remarkable command is missed:
//
//   * a threshold that a single fast command could reach (less than a millisecond, fewer bytes than one
//     receive or one output chunk) makes every command be measured by itself
//   * above that, a request can only be large where the session's input was kept in a buffer of its own, and
//     a reply where the loop's chunk did not hold it: such commands are measured by themselves
//   * a run of constant-cost commands that takes longer than a threshold is logged as its last command,
//     with the time of the run. A run is at most 32 commands that one client pipelined; alone, a
//     command is a run of one.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Observing;

/// <summary>
/// The observers of executed commands: the slow log, the command logs, the latency monitor. Any thread.
/// </summary>
internal sealed class Observation
{
    private const ulong OwnTimeBelowUs = 1000;
    public const ulong OwnSizeBelowBytes = 64 * 1024;

    private readonly Settings _settings;

    public Observation(ConfigurationRegistry configuration, Clock clock)
    {
        _settings = configuration.Settings;
        Slow = new CommandLog(configuration, clock);
        LargeRequests = new CommandLog(configuration, clock);
        LargeReplies = new CommandLog(configuration, clock);
        Latency = new LatencyMonitor(_settings, clock);
    }

    /// <summary>Commands that took long, in microseconds.</summary>
    public CommandLog Slow { get; }

    /// <summary>Commands with large requests, in bytes.</summary>
    public CommandLog LargeRequests { get; }

    /// <summary>Commands with large replies, in bytes.</summary>
    public CommandLog LargeReplies { get; }

    public LatencyMonitor Latency { get; }

    /// <summary>
    /// Whether every command must be measured by itself: a threshold is below what a turn may take.
    /// </summary>
    // A negative threshold, which means none, is the largest as an unsigned number.
    public bool NeedsEveryTime => (ulong)_settings.SlowLogThresholdUs < OwnTimeBelowUs
        || (ulong)_settings.LargeRequestThresholdBytes < OwnSizeBelowBytes
        || (ulong)_settings.LargeReplyThresholdBytes < OwnSizeBelowBytes;

    /// <summary>A command that was measured by itself has been executed.</summary>
    /// <param name="execution">Its execution.</param>
    /// <param name="elapsedNs">Nanoseconds it took.</param>
    /// <param name="replyBytes">Bytes of its reply.</param>
    public void Executed(SessionExecution execution, long elapsedNs, long replyBytes)
    {
        ObservedCommand command = ObservedCommand.Of(execution);
        Executed(in command, elapsedNs, replyBytes);
    }

    /// <summary>A command of a script whose run commits now was executed earlier.</summary>
    /// <param name="session">Its session.</param>
    /// <param name="spec">The command.</param>
    /// <param name="words">Its arguments.</param>
    /// <param name="elapsedNs">Nanoseconds it took.</param>
    /// <param name="replyBytes">Bytes of its reply.</param>
    public unsafe void ExecutedBefore(
        Session session, CommandSpec spec, byte[][] words, long elapsedNs, long replyBytes)
    {
        using var arguments = new ArgumentBuffer();
        arguments.EnsureCapacity(words.Length);
        var pins = new GCHandle[words.Length];
        // SAFETY: the words do not move until the pins are freed, after the last use of the list.
        for (int index = 0; index < words.Length; index++)
        {
            pins[index] = GCHandle.Alloc(words[index], GCHandleType.Pinned);
            arguments.Append((byte*)pins[index].AddrOfPinnedObject(), words[index].Length, 0);
        }

        var command = new ObservedCommand(session, spec, new ArgumentList(arguments.Items, words.Length));
        Executed(in command, elapsedNs, replyBytes);
        foreach (GCHandle pin in pins)
            pin.Free();
    }

    private void Executed(in ObservedCommand command, long elapsedNs, long replyBytes)
    {
        Took(in command, elapsedNs);
        if ((command.Spec.Flags & CommandFlags.SkipSlowLog) != 0)
            return;
        Replied(in command, replyBytes);
        long threshold = _settings.LargeRequestThresholdBytes;
        if (threshold < 0)
            return;
        long requestBytes = RequestBytes(command.Arguments);
        if (requestBytes >= threshold)
            LargeRequests.Add(in command, requestBytes, _settings.LargeRequestLengthMax);
    }

    /// <summary>Notes the time of a command, or of a run of commands of which it was the last.</summary>
    public void Took(in ObservedCommand command, long elapsedNs)
    {
        long elapsedUs = elapsedNs / 1000;
        bool isFast = (command.Spec.Flags & CommandFlags.Fast) != 0;
        Latency.Note(isFast ? LatencyMonitor.FastCommand : LatencyMonitor.Command, elapsedUs);
        long threshold = _settings.SlowLogThresholdUs;
        if (threshold >= 0 && elapsedUs >= threshold && (command.Spec.Flags & CommandFlags.SkipSlowLog) == 0)
            Slow.Add(in command, elapsedUs, _settings.SlowLogLengthMax);
    }

    /// <summary>Notes a reply.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Replied(in ObservedCommand command, long replyBytes)
    {
        long threshold = _settings.LargeReplyThresholdBytes;
        if (threshold >= 0 && replyBytes >= threshold)
            LargeReplies.Add(in command, replyBytes, _settings.LargeReplyLengthMax);
    }

    /// <summary>The bytes of a request as clients send it: an array of bulk strings.</summary>
    private static long RequestBytes(ArgumentList arguments)
    {
        const int LineOverhead = 3;
        const int LineEnd = 2;
        long bytes = LineOverhead + RedisNumber.LengthOfInt64(arguments.Count);
        for (int index = 0; index < arguments.Count; index++)
        {
            int length = arguments[index].Length;
            bytes += LineOverhead + RedisNumber.LengthOfInt64(length) + length + LineEnd;
        }

        return bytes;
    }
}
