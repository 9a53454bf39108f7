using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Load;

/// <summary>The result of a run of a load.</summary>
public sealed record LoadResult
{
    private const double BusyShareMax = 0.9;
    private const double LagMsMax = 1;

    /// <summary>How many requests were answered.</summary>
    public required long RequestCount { get; init; }

    /// <summary>From the first request to the last reply, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>How many replies were errors.</summary>
    public required long ErrorCount { get; init; }

    /// <summary>How many replies were null: keys that are missing.</summary>
    public required long MissingCount { get; init; }

    /// <summary>The first error's text; null where there was none.</summary>
    public required string? FirstError { get; init; }

    /// <summary>The bytes of all requests.</summary>
    public required long SentBytes { get; init; }

    /// <summary>The bytes of all replies.</summary>
    public required long ReceivedBytes { get; init; }

    /// <summary>How long each request took until its reply. In an open loop from when it was due, including
    /// those that were given up.</summary>
    public required LatencyHistogram Latency { get; init; }

    /// <summary>The same by command.</summary>
    public required IReadOnlyList<CommandResult> Commands { get; init; }

    /// <summary>In an open loop: how much later than due a batch was sent although its connection was free,
    /// which the load generator caused, not the server.</summary>
    public required LatencyHistogram SendLag { get; init; }

    /// <summary>In an open loop: how many requests were due and had no reply when the run was given up; they
    /// are in <see cref="Latency"/> with the time they had waited until then.</summary>
    public required long UnansweredCount { get; init; }

    /// <summary>The rate of an open loop, in requests a second; null for a closed one.</summary>
    public required double? WantedRate { get; init; }

    /// <summary>Each thread's share.</summary>
    public required IReadOnlyList<ThreadResult> Threads { get; init; }

    /// <summary>Replies a second.</summary>
    public double Rate => RequestCount / Seconds;

    /// <summary>Processor time that the load generator itself spent on a request, in microseconds.</summary>
    public double CpuMicrosecondsPerRequest =>
        Threads.Sum(thread => thread.CpuSeconds) * 1e6 / RequestCount;

    /// <summary>The busiest thread's share of time at work, 0 … 1.</summary>
    public double BusyShare => Threads.Max(thread => thread.BusyShare);

    /// <summary>The largest share of its time, 0 … 1, that a thread waited for a core on which another thread
    /// ran.</summary>
    public double CoreWaitShare => Threads.Max(thread => thread.CoreWaitShare);

    /// <summary>The doubts about these figures, in words; empty if there are none.</summary>
    public IEnumerable<string> Warnings()
    {
        if (BusyShare > BusyShareMax)
            yield return $"the load generator was {BusyShare:P0} busy: it, not the server, may have been "
                + "the limit";
        else if (Threads.Max(thread => thread.BusyShare + thread.CoreWaitShare) > BusyShareMax)
            yield return $"the load generator was {BusyShare:P0} busy and waited for a core for "
                + $"{CoreWaitShare:P0} of its time: it, not the server, may have been the limit";
        double lagMs = SendLag.PercentileNs(0.99) / 1e6;
        if (lagMs > LagMsMax)
            yield return $"the load generator was {lagMs:0.0} ms late by its own doing with 1 % of its "
                + "requests";
        if (UnansweredCount > 0)
            yield return $"{UnansweredCount:N0} requests that were due had no answer at the end";
        if (Rate < 0.99 * WantedRate)
            yield return $"the rate was {Rate:N0} a second where {WantedRate:N0} were wanted";
        if (ErrorCount > 0) yield return $"{ErrorCount:N0} errors, the first one: {FirstError}";
    }
}
