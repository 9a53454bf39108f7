using System;
using System.Globalization;
using Cinnabar.Bench.Suites.Durability;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Scaling;

/// <summary>
/// One loop on one core against two loops on two, in operations per second of the server's processor time.
/// The second loop shares its core with the load, so throughput says nothing. Both servers run at the same
/// time, and a round measures them in the order one, two, two, one: a change of the machine affects both.
/// </summary>
internal sealed class ScaleSuite : ISuite
{
    private const int ValueSize = 256;
    private const double WarmUpSeconds = 0.5;

    public string Name => "scale";

    public string Title => "One loop on one core against two on two, per processor second";

    public string Servers => "cinnabar";

    public int Rounds => 3;

    public double Seconds => 1.5;

    public void Measure(ServerSpec spec, Round round)
    {
        Round both = round with { ServerCores = [.. round.ServerCores, .. round.LoadCores] };
        using MeasuredServer one = Start(spec, round, 1);
        using MeasuredServer two = Start(spec, both, 2);
        long keyCount = round.KeyCount ?? (round.IsQuick ? 20_000 : 1_000_000);
        foreach (MeasuredServer server in (MeasuredServer[])[one, two])
            round.Fill(server, round.Load(server, keyCount, ValueSize), keyCount);
        foreach (ScaleLoad load in ScaleLoad.All) Measure(load, one, two, round, keyCount);
    }

    private static MeasuredServer Start(ServerSpec spec, Round round, int loopCount) =>
        round.Start(DataFolder.WithOptions(spec, "--io-threads",
            loopCount.ToString(CultureInfo.InvariantCulture), "--loop-placement", "all"));

    private static void Measure(ScaleLoad load, MeasuredServer one, MeasuredServer two, Round round,
        long keyCount)
    {
        using var oneRun = new ScaleRun(load, one, round, load.KeyCount ?? keyCount);
        using var twoRun = new ScaleRun(load, two, round, load.KeyCount ?? keyCount);
        round.Live.ShowStep($"{load.Name}, warm up");
        oneRun.Run(Math.Min(WarmUpSeconds, round.Seconds));
        twoRun.Run(Math.Min(WarmUpSeconds, round.Seconds));
        round.Live.ShowStep(load.Name);
        double oneCost = oneRun.Run(round.Seconds / 2);
        double twoCost = twoRun.Run(round.Seconds / 2) + twoRun.Run(round.Seconds / 2);
        oneCost += oneRun.Run(round.Seconds / 2);
        string name = one.Spec.Name;
        round.Report.Add($"{load.Name}, one loop", "µs/op", name, oneCost / 2);
        round.Report.Add($"{load.Name}, two loops", "µs/op", name, twoCost / 2);
        round.Report.Add($"{load.Name}, two loops against one", "×", name, oneCost / twoCost,
            isHeadline: true);
    }
}
