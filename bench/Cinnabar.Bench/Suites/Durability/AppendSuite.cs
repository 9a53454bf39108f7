using System;
using Cinnabar.Bench.Report;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites.Durability;

/// <summary>SET with an append-only file: 64 clients, one request at a time, with <c>always</c>, and 30 deep
/// with <c>everysec</c>, beside the same without a file. The file is on the disk of the temporary folder;
/// nothing rewrites it meanwhile.</summary>
internal sealed class AppendSuite : ISuite
{
    private const int ValueSize = 64;
    private const string NoFile = "no file";
    private static readonly TimeSpan s_warmUpTime = TimeSpan.FromSeconds(1);

    public string Name => "appends";

    public string Title => "SET of 64-byte values with an append-only file: 30 deep everysec, 1 deep always";

    public string Servers => "redis,cinnabar";

    public int Rounds => 3;

    public double Seconds => 5;

    public void Measure(ServerSpec spec, Round round)
    {
        double off = Measure(spec, round, LoadShape.Deep, NoFile);
        double everysec = Measure(spec, round, LoadShape.Deep, "everysec");
        round.Report.Add("30 deep, everysec against no file", "×", spec.Name, everysec / off,
            isHeadline: true);
        Measure(spec, round, LoadShape.Flat, "always");
    }

    private static double Measure(ServerSpec spec, Round round, LoadShape shape, string policy)
    {
        string name = $"{shape.Name}, {policy}";
        string[] options = policy == NoFile ? ["--appendonly", "no"]
            : ["--appendonly", "yes", "--appendfsync", policy, "--auto-aof-rewrite-percentage", "0"];
        long count = round.KeyCount ?? (round.IsQuick ? 20_000 : 1_000_000);
        // A flush for each pipeline of the fill.
        if (policy == "always") count = long.Min(count, 100_000);
        using MeasuredServer server = round.Start(DataFolder.WithOptions(spec, options));
        LoadOptions load = round.Load(server, count, ValueSize) with
        {
            ClientCount = shape.ClientCount,
            Depth = shape.Depth,
            Commands = [CommandTemplate.Set()],
        };
        round.Fill(server, load, count);
        using var generator = new LoadGenerator(load);
        round.Live.ShowStep($"{name}, warm up");
        generator.Run(Math.Min(s_warmUpTime.TotalSeconds, round.Seconds));
        round.Live.ShowStep(name);
        double cpu = Round.UsageOf(server).CpuSeconds();
        LoadResult result = generator.Run();
        cpu = Round.UsageOf(server).CpuSeconds() - cpu;
        if (result.ErrorCount > 0) throw new LoadException($"{spec.Name} answered: {result.FirstError}");
        new ResultRows(round.Report, spec.Name, name).AddUsual(result, cpu);
        return result.Rate;
    }
}
