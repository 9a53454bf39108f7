using System;
using System.Collections.Generic;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;
using Cinnabar.Load;
using Cinnabar.Load.Servers;

namespace Cinnabar.Bench.Suites;

/// <summary>Throughput, latency and costs of one or two loads, with a million keys of 16 bytes and values of
/// 256.</summary>
internal sealed class ThroughputSuite : ISuite
{
    private const int ValueSize = 256;
    private const double WarmUpSeconds = 1;
    private readonly IReadOnlyList<LoadShape> _shapes;

    private ThroughputSuite(string name, string title, params IReadOnlyList<LoadShape> shapes)
    {
        (Name, Title) = (name, title);
        _shapes = shapes;
    }

    public string Name { get; }

    public string Title { get; }

    public required string Servers { get; init; }

    public int Rounds { get; init; } = 5;

    public double Seconds { get; init; } = 3;

    /// <summary>Long pipelines.</summary>
    public static ThroughputSuite Pipeline() =>
        new("pipeline", "SET:GET 1:10, 30 deep, 128 clients", LoadShape.Deep)
        {
            Servers = "floor,redis,cinnabar",
        };

    /// <summary>One request at a time.</summary>
    public static ThroughputSuite Flat() => new("latency1", "GET, 1 deep, 64 clients", LoadShape.Flat)
    {
        Servers = "floor,redis,cinnabar",
    };

    /// <summary>Both, over portable sockets.</summary>
    public static ThroughputSuite Portable() =>
        new("portable", "Both loads over portable sockets", LoadShape.Deep, LoadShape.Flat)
        {
            Servers = "redis,cinnabar-portable",
        };

    public void Measure(ServerSpec spec, Round round)
    {
        long keyCount = round.KeyCount ?? (round.IsQuick ? 20_000 : 1_000_000);
        using MeasuredServer server = round.Start(spec);
        LoadOptions load = round.Load(server, keyCount, ValueSize);
        if (spec.Name is not (KnownServers.Floor or KnownServers.FloorRing))
            round.Fill(server, load, keyCount);
        foreach (LoadShape shape in _shapes) Measure(shape, server, load, round);
    }

    private static void Measure(LoadShape shape, MeasuredServer server, LoadOptions load, Round round)
    {
        using var generator = new LoadGenerator(load with
        {
            ClientCount = shape.ClientCount,
            Depth = shape.Depth,
            Commands = shape.Commands,
        });
        round.Live.ShowStep($"{shape.Name}, warm up");
        generator.Run(Math.Min(WarmUpSeconds, round.Seconds));
        round.Live.ShowStep($"{shape.Name}");
        double cpu = Round.UsageOf(server).CpuSeconds();
        LoadResult result = generator.Run();
        cpu = Round.UsageOf(server).CpuSeconds() - cpu;
        string name = server.Spec.Name;
        if (result.ErrorCount > 0) throw new LoadException($"{name} answered: {result.FirstError}");
        if (result.MissingCount > 0) throw new LoadException($"{name} has lost {result.MissingCount} keys");
        new ResultRows(round.Report, name, shape.Name).AddUsual(result, cpu);
    }
}
