using System.Collections.Generic;
using System.Linq;
using Cinnabar.Bench.Report;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;
using Cinnabar.Load.Waits;

namespace Cinnabar.Bench.Suites;

/// <summary>How long another client waits while the table grows: keys are inserted at a rate that is the same
/// for every server, and a client of its own asks for random keys (<see cref="WaitProbe"/>). One thread does
/// both. The rate is <c>--rate</c>, else half of the slowest server's maximum. Beside it the wait while the
/// same load only overwrites: the machine's effect on a server that does not grow.</summary>
internal sealed class StallSuite : IComparingSuite
{
    private const int ValueSize = 64;
    private const int Depth = 10;
    private const double OverwritingSeconds = 5;

    public string Name => "stall";

    public string Title => "Wait of another client while 10M keys are inserted, all servers at one rate";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 0;

    public void Prepare(IReadOnlyList<ServerSpec> specs, Round round) =>
        round.InsertRate ??= specs.Min(spec => FullRate(spec, round)) / 2;

    public void Measure(ServerSpec spec, Round round)
    {
        double rate = round.InsertRate!.Value;
        long keyCount = KeyCount(round);
        long probedCount = long.Max(keyCount / 100, 1);
        using MeasuredServer server = round.Start(spec);
        LoadOptions inserts = Inserts(server, round) with { Rate = rate };
        LoadOptions probes = round.Load(server, probedCount, ValueSize) with
        {
            Commands = [CommandTemplate.Get()],
            Rate = Round.ProbesPerSecond,
        };
        round.Fill(server, probes, probedCount);
        round.Live.ShowStep($"overwriting at {rate:N0} a second");
        double seconds = round.IsQuick ? 0.5 : OverwritingSeconds;
        LoadOptions overwrites = inserts with
        {
            Keys = Part(0, probedCount),
            Commands = [CommandTemplate.Set()],
            RequestCount = (long)(rate * seconds) / inserts.ClientCount,
            IsEachKeyOnce = false,
        };
        // A server that compiles its code while it runs does so in its first seconds, in slices of some ms.
        _ = Run(server, overwrites, probes);
        WaitFigures before = Run(server, overwrites, probes).Waits;
        round.Live.ShowStep($"{keyCount:N0} keys at {rate:N0} a second");
        LoadOptions growth = inserts with { Keys = Part(probedCount, keyCount) };
        (LoadResult inserted, WaitFigures during) = Run(server, growth, probes);
        round.Report.Add("inserts", "keys/s", spec.Name, inserted.Rate, isHeadline: true);
        foreach (string warning in inserted.Warnings()) round.Report.Note($"{spec.Name}: {warning}");
        new WaitRows(round.Report, spec.Name).Add("wait", before, during);
    }

    private static long KeyCount(Round round) => round.KeyCount ?? (round.IsQuick ? 50_000 : 10_000_000);

    private static LoadOptions Inserts(MeasuredServer server, Round round) =>
        round.Load(server, KeyCount(round), ValueSize).ForPopulating() with { Depth = Depth };

    private static double FullRate(ServerSpec spec, Round round)
    {
        using MeasuredServer server = round.Start(spec);
        round.Live.ShowStep($"{spec.Name} at full speed");
        LoadOptions inserts = Inserts(server, round) with { Keys = Part(0, KeyCount(round) / 10) };
        using var generator = new LoadGenerator(inserts);
        return generator.Run().Rate;
    }

    private static (LoadResult Main, WaitFigures Waits) Run(
        MeasuredServer server, LoadOptions main, LoadOptions probes)
    {
        using var load = new LoadGenerator(main);
        using var probe = new WaitProbe(probes);
        WaitFigures waits = probe.BeginStretch();
        LoadResult result = load.RunBeside(probe);
        string? failure = result.FirstError ?? probe.FirstError;
        if (probe.MissingCount > 0) failure ??= "keys are lost";
        if (failure is not null) throw new LoadException($"{server.Spec.Name}: {failure}");
        return (result, waits);
    }

    private static KeySpace Part(long first, long end) => new() { Minimum = first, Maximum = end - 1 };
}
