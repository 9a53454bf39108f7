using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using Cinnabar.Bench.Report;
using Cinnabar.Bench.Servers;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;
using Cinnabar.Load.Waits;

namespace Cinnabar.Bench.Suites;

/// <summary>What a suite needs to measure servers once: how long, on which cores, the report for its values
/// and the display of its progress.</summary>
internal sealed record Round(SuiteReport Report, LiveProgress Live)
{
    private const int FillDepth = 10;
    private const int CommandWidth = 30;
    private const int SettlingCountMax = 8;
    private const long SettledDifference = 200_000;
    private static readonly TimeSpan s_settlingTime = TimeSpan.FromSeconds(1);

    /// <summary>How often a probe asks.</summary>
    public const double ProbesPerSecond = 10_000;

    /// <summary>How long one measurement takes.</summary>
    public double Seconds { get; init; }

    /// <summary>The cores of the server; empty: any.</summary>
    public IReadOnlyList<int> ServerCores { get; init; } = [];

    /// <summary>The cores of the load; empty: any.</summary>
    public IReadOnlyList<int> LoadCores { get; init; } = [];

    /// <summary>How many keys the command line wants; null: the suite's own number.</summary>
    public long? KeyCount { get; init; }

    /// <summary>The only rows that the command line wants, of a suite of many; empty: all.</summary>
    public IReadOnlyList<string> Only { get; init; } = [];

    /// <summary>Keys a second for every server, in a suite that loads all alike; null until the suite has
    /// chosen it. It holds for all rounds.</summary>
    public double? InsertRate { get; set; }

    /// <summary>Whether the servers' cores are reserved, and the load has priority on its own.</summary>
    public bool IsReserving { get; init; }

    /// <summary>Whether it only checks that the suite works.</summary>
    public bool IsQuick { get; init; }

    /// <summary>Whether the command line wants a row.</summary>
    public bool Has(string row) =>
        Only.Count == 0 || Only.Contains(row, StringComparer.OrdinalIgnoreCase);

    /// <summary>Starts a server on its cores and notes its version.</summary>
    public MeasuredServer Start(ServerSpec spec)
    {
        Live.ShowStep("start");
        MeasuredServer server = MeasuredServer.Start(spec, ServerCores);
        Report.Versions[spec.Name] = server.Version;
        return server;
    }

    /// <summary>A load on a server with 16-byte keys.</summary>
    public LoadOptions Load(MeasuredServer server, long keyCount, int dataSize) => new()
    {
        Server = server.Address,
        Keys = new KeySpace { Maximum = keyCount - 1 },
        Data = DataSizes.Fixed(dataSize),
        Cores = LoadCores,
        IsFirst = IsReserving,
        Seconds = Seconds > 0 ? Seconds : null,
    };

    /// <summary>A client that asks for a missing key 10,000 times a second.</summary>
    public WaitProbe Probe(MeasuredServer server) => new(Load(server, 1, 1) with
    {
        Commands = [CommandTemplate.Parse("GET another")],
        Rate = ProbesPerSecond,
    });

    /// <summary>Sets a load's keys and checks that there are as many in all as wanted.</summary>
    /// <exception cref="LoadException">There are not.</exception>
    public void Fill(MeasuredServer server, LoadOptions load, long countAfter)
    {
        Live.ShowStep($"set {load.Keys.Count:N0} keys");
        LoadGenerator.Populate(load, Live);
        if (server.Spec.Name is KnownServers.Floor or KnownServers.FloorRing) return;
        using ServerLink link = server.Link();
        string? count = link.Ask("DBSIZE");
        if (count != countAfter.ToString(CultureInfo.InvariantCulture))
            throw new LoadException($"{server.Spec.Name} has {count} keys where {countAfter} were set");
    }

    /// <summary>Runs a command once for each key of a load, with few requests in flight.</summary>
    /// <exception cref="LoadException">The server refuses it.</exception>
    public void FillWith(string command, LoadOptions load)
    {
        Live.ShowStep($"{load.Keys.Count:N0} x {command[..int.Min(command.Length, CommandWidth)]}");
        using var generator = new LoadGenerator(load.ForPopulating() with
        {
            Commands = [CommandTemplate.Parse(command, pattern: KeyPattern.Parallel)],
            Depth = FillDepth,
        });
        LoadResult result = generator.Run(Live);
        if (result.ErrorCount > 0) throw new LoadException($"{command}: {result.FirstError}");
    }

    /// <summary>Waits until a server's resident memory no longer falls, for at most some seconds: the server
    /// frees temporary memory.</summary>
    /// <returns>That memory in bytes.</returns>
    public static long SettledBytes(MeasuredServer server)
    {
        ProcessUsage usage = UsageOf(server);
        long bytes = usage.ResidentBytes();
        for (int count = 0; count < SettlingCountMax; count++)
        {
            Thread.Sleep(s_settlingTime);
            long before = bytes;
            bytes = usage.ResidentBytes();
            if (count > 0 && bytes >= before - SettledDifference) break;
        }
        return bytes;
    }

    /// <summary>The processor time and memory of a server's process.</summary>
    /// <exception cref="LoadException">They cannot be known.</exception>
    public static ProcessUsage UsageOf(MeasuredServer server) => server.Usage
        ?? throw new LoadException($"{server.Spec.Name} is no process of this machine");
}
