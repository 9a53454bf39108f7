using Cinnabar.Bench.Servers;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>How fast new keys are set, 30 deep, and the server's processor time for each: the cost of growing
/// tables and memory.</summary>
internal sealed class InsertSuite : ISuite
{
    private const int ValueSize = 64;
    private const int ClientCount = 128;
    private const int WarmUpShare = 20;

    public string Name => "inserts";

    public string Title => "SET of 5M new keys, 64-byte values, 30 deep, 128 clients";

    public string Servers => "floor,redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 0;

    public void Measure(ServerSpec spec, Round round)
    {
        long count = round.KeyCount ?? (round.IsQuick ? 100_000 : 5_000_000);
        using MeasuredServer server = round.Start(spec);
        LoadOptions load = round.Load(server, count, ValueSize).ForPopulating() with
        {
            ClientCount = ClientCount,
        };
        Run(load with { Keys = new KeySpace { Maximum = (count / WarmUpShare) - 1 } });
        if (spec.Name is not (KnownServers.Floor or KnownServers.FloorRing))
            using (ServerLink link = server.Link()) link.Ask("FLUSHALL", "SYNC");
        round.Live.ShowStep($"set {count:N0} keys");
        ProcessUsage usage = Round.UsageOf(server);
        double cpu = usage.CpuSeconds();
        LoadResult result = Run(load);
        new Report.ResultRows(round.Report, spec.Name, "").AddUsual(result, usage.CpuSeconds() - cpu);
    }

    private static LoadResult Run(LoadOptions load)
    {
        using var generator = new LoadGenerator(load);
        LoadResult result = generator.Run();
        return result.ErrorCount == 0 ? result
            : throw new LoadException($"the keys could not be set: {result.FirstError}");
    }
}
