using Cinnabar.Bench.Report;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;
using Cinnabar.Load.Waits;

namespace Cinnabar.Bench.Suites;

/// <summary>How long another client waits at worst while the table grows: keys are inserted at half the speed
/// that the server can take them, and a client of its own asks for random keys (<see cref="WaitProbe"/>). One
/// thread does both. Beside it the wait while the same load only overwrites: what the machine does to a
/// server of which nothing grows.</summary>
internal sealed class StallSuite : ISuite
{
    private const int ValueSize = 64;
    private const double ProbesPerSecond = 10_000;
    private const double OverwritingSeconds = 5;

    public string Name => "stall";

    public string Title => "Wait of another client while 10M keys are inserted at half load";

    public string Servers => "redis,cinnabar";

    public int Rounds => 1;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        long keyCount = round.KeyCount ?? (round.IsQuick ? 50_000 : 10_000_000);
        long probedCount = long.Max(keyCount / 100, 1);
        using MeasuredServer server = round.Start(spec);
        LoadOptions inserts = round.Load(server, keyCount, ValueSize).ForPopulating() with { Depth = 10 };
        round.Live.Tell("full speed");
        double rate = LoadGenerator.Populate(inserts with { Keys = Part(0, keyCount / 10) }).Rate / 2;
        using (ServerLink link = server.Link()) link.Ask("FLUSHALL", "SYNC");
        LoadOptions probes = round.Load(server, probedCount, ValueSize) with
        {
            Commands = [CommandTemplate.Get()],
            Rate = ProbesPerSecond,
        };
        round.Fill(server, probes, probedCount);
        round.Live.Tell($"overwriting at {rate:N0} a second");
        double seconds = round.IsQuick ? 0.5 : OverwritingSeconds;
        LoadOptions overwrites = inserts with
        {
            Keys = Part(0, probedCount),
            Commands = [CommandTemplate.Set()],
            Rate = rate,
            RequestCount = (long)(rate * seconds) / inserts.ClientCount,
            IsEachKeyOnce = false,
        };
        // A server that compiles its code while it runs does so in its first seconds, in slices of some ms.
        _ = Run(server, overwrites, probes);
        WaitFigures before = Run(server, overwrites, probes).Waits;
        round.Live.Tell($"{keyCount:N0} keys at {rate:N0} a second");
        LoadOptions growth = inserts with { Keys = Part(probedCount, keyCount), Rate = rate };
        (LoadResult inserted, WaitFigures during) = Run(server, growth, probes);
        round.Report.Add("inserts", "keys/s", spec.Name, inserted.Rate);
        new WaitRows(round.Report, spec.Name).Add("wait", before, during, 0.5, 0.99, 0.9999);
    }

    private static (LoadResult Main, WaitFigures Waits) Run(
        MeasuredServer server, LoadOptions main, LoadOptions probes)
    {
        using var load = new LoadGenerator(main);
        using var probe = new WaitProbe(probes, server.Usage);
        WaitFigures waits = probe.BeginStretch();
        LoadResult result = load.RunBeside(probe);
        string? failure = result.FirstError ?? probe.FirstError;
        if (probe.MissingCount > 0) failure ??= "keys are lost";
        if (failure is not null) throw new LoadException($"{server.Spec.Name}: {failure}");
        return (result, waits);
    }

    private static KeySpace Part(long first, long end) => new() { Minimum = first, Maximum = end - 1 };
}
