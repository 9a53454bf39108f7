using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Durability;

/// <summary>What a BGSAVE costs the clients: how long another one waits at the snapshot's moment, the
/// throughput 30 deep while it is saved, and the memory while all keys are overwritten. The saver is first on
/// the server's core, then on the load's, where it gets the time that the load leaves. Files are in memory.
/// </summary>
internal sealed class SavingSuite : ISuite
{
    private const int ValueSize = 100;

    public string Name => "saving";

    public string Title => "BGSAVE of keys of 100 bytes: wait, throughput 30 deep, memory";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 3;

    public void Measure(ServerSpec spec, Round round)
    {
        long count = round.KeyCount ?? (round.IsQuick ? 50_000 : 5_000_000);
        using var folder = new DataFolder();
        using MeasuredServer server = round.Start(folder.Of(spec));
        LoadOptions load = round.Load(server, count, ValueSize) with
        {
            ClientCount = LoadShape.Deep.ClientCount,
            Depth = LoadShape.Deep.Depth,
            Commands = LoadShape.Deep.Commands,
            IsRandomData = true,
        };
        round.Fill(server, load, count);
        using var run = new SavingRun(server, load, round);
        run.MeasureMoment();
        run.MeasureThroughput("saver on the server's core", null);
        if (round.LoadCores is [int core, ..]) run.MeasureThroughput("saver on another core", core);
        run.MeasureMemory();
    }
}
