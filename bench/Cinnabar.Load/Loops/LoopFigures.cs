using System.Linq;

namespace Cinnabar.Load.Loops;

/// <summary>What a <see cref="LoadLoop"/> counts during one run.</summary>
internal sealed class LoopFigures(int commandCount)
{
    private long _replyCount;

    /// <summary>The latencies by command.</summary>
    public LatencyHistogram[] Latencies { get; } =
        [.. Enumerable.Range(0, commandCount).Select(_ => new LatencyHistogram())];

    /// <summary>How late batches were sent because of the loop itself.</summary>
    public LatencyHistogram SendLag { get; } = new();

    /// <summary>Replies so far; written by the loop's thread, read by others to show progress.</summary>
    public long ReplyCount
    {
        get => System.Threading.Volatile.Read(ref _replyCount);
        set => _replyCount = value;
    }

    /// <summary>The bytes of all requests.</summary>
    public long SentBytes { get; set; }

    /// <summary>The bytes of all replies.</summary>
    public long ReceivedBytes { get; set; }

    /// <summary>Requests that were given up.</summary>
    public long UnansweredCount { get; set; }

    /// <summary>When it began, in ticks.</summary>
    public long StartedAt { get; set; }

    /// <summary>When the last reply came, in ticks.</summary>
    public long EndedAt { get; set; }

    /// <summary>How long it waited for sockets or for its schedule, in ticks.</summary>
    public long IdleTicks { get; set; }

    /// <summary>Processor time, in seconds.</summary>
    public double CpuSeconds { get; set; }

    /// <summary>How long it could have run while others had its core, in seconds.</summary>
    public double CoreWaitSeconds { get; set; }
}
