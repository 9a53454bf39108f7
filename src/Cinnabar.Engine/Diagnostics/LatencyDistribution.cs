// LATENCY HISTOGRAM: how many executions of a command took at most a limit. The limits are Redis's: powers of
// two of nanoseconds from 1,024, plus a 128th (its histograms keep two digits), shown in whole microseconds;
// executions longer than half a second count in the last bucket. Our histograms have finer buckets, whose
// edges are the powers of two.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Statistics;

namespace Cinnabar.Engine.Diagnostics;

/// <summary>The distributions of commands' run times, summed over all loops.</summary>
internal static class LatencyDistribution
{
    private const int ExponentMin = 10;
    private const int ExponentMax = 30;
    private const int BucketsPerExponent = 16;
    private const long LastLimitUs = 1_073_741;

    /// <summary>LATENCY HISTOGRAM [command ...]</summary>
    public static void Reply(SessionExecution execution)
    {
        var found = new List<(CommandSpec Spec, long[] Counts)>();
        var sum = new LatencyHistogram();
        CommandTable commands = execution.Engine.Commands;
        if (execution.ArgumentCount == 2)
        {
            foreach (CommandSpec spec in commands.All)
                Collect(execution.Engine, spec, sum, found);
        }

        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (commands.FindFull(execution.Argument(index)) is { } spec)
                Collect(execution.Engine, spec, sum, found);
        }

        execution.Reply.MapHeader(found.Count);
        foreach ((CommandSpec spec, long[] counts) in found)
            Reply(ref execution.Reply, spec, counts);
    }

    /// <summary>The limit of the executions below two to the power of an exponent, in microseconds.</summary>
    public static long LimitUs(int exponent) => exponent >= ExponentMax
        ? LastLimitUs
        : ((1L << exponent) + (1L << (exponent - 7)) - 1) / 1000;

    private static void Collect(
        ServerEngine engine, CommandSpec spec, LatencyHistogram sum, List<(CommandSpec, long[])> found)
    {
        if (engine.Statistics.TryReadLatency(spec, sum))
        {
            ReadOnlySpan<long> counts = sum.Counts;
            var sums = new long[counts.Length / BucketsPerExponent];
            for (int bucket = 0; bucket < counts.Length; bucket++)
                sums[bucket / BucketsPerExponent] += counts[bucket];
            found.Add((spec, sums));
        }

        foreach (CommandSpec subcommand in spec.Subcommands)
            Collect(engine, subcommand, sum, found);
    }

    private static void Reply(ref ReplyWriter reply, CommandSpec spec, long[] counts)
    {
        var limits = new List<(long LimitUs, long Count)>();
        long sum = 0;
        long shown = 0;
        for (int index = 0; index < counts.Length; index++)
        {
            sum += counts[index];
            int exponent = index + 1;
            bool isLimit = exponent is >= ExponentMin and < ExponentMax || exponent == counts.Length;
            if (!isLimit || sum == shown)
                continue;
            limits.Add((LimitUs(exponent), sum));
            shown = sum;
        }

        reply.Bulk(spec.NameBytes);
        reply.MapHeader(2);
        reply.Bulk("calls"u8);
        reply.Integer(sum);
        reply.Bulk("histogram_usec"u8);
        reply.MapHeader(limits.Count);
        foreach ((long limitUs, long count) in limits)
        {
            reply.Integer(limitUs);
            reply.Integer(count);
        }
    }
}
