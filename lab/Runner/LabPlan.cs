using System;
using System.Collections.Generic;

namespace Cinnabar.Lab.Runner;

/// <summary>What is measured and for how long. It is saved with the figures, which depend only on it, the
/// machine and the programs.</summary>
internal sealed record LabPlan
{
    /// <summary>The profile's name.</summary>
    public required string Profile { get; init; }

    /// <summary>How often every station is measured, in turn with the others.</summary>
    public int Rounds { get; init; } = 3;

    /// <summary>The workloads' names, in their order within a round.</summary>
    public required IReadOnlyList<string> Workloads { get; init; }

    /// <summary>How long the mixed workloads load a station.</summary>
    public double MixSeconds { get; init; } = 2.5;

    /// <summary>How long they load it before that: until its runtime's compiler, which has the same core, is
    /// done (about 3 s).</summary>
    public double WarmUpSeconds { get; init; } = 4;

    /// <summary>The connections of the mixed workloads.</summary>
    public int MixClients { get; init; } = 128;

    /// <summary>How many of a connection's commands are under way at once.</summary>
    public int MixDepth { get; init; } = 30;

    /// <summary>The size of their values, in bytes.</summary>
    public int MixValueSize { get; init; } = 256;

    /// <summary>How many keys there could be where they start absent.</summary>
    public long MissingKeyCount { get; init; } = 10_000_000;

    /// <summary>How many keys there are where they are present.</summary>
    public long PresentKeyCount { get; init; } = 200_000;

    /// <summary>For how long redis-benchmark is meant to send one command from one number of
    /// clients.</summary>
    public double SweepSeconds { get; init; } = 0.3;

    /// <summary>How many requests of each command the sweep sends before it begins to count.</summary>
    public int SweepWarmUpCount { get; init; } = 20_000;

    /// <summary>The numbers of clients.</summary>
    public IReadOnlyList<int> SweepClients { get; init; } = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

    /// <summary>The size of the sweep's values, in bytes.</summary>
    public int SweepValueSize { get; init; } = 1024;

    /// <summary>How many keys the sweep has.</summary>
    public int SweepKeyCount { get; init; } = 64;

    /// <summary>The stations' core; null: wherever the system puts them.</summary>
    public int? ServerCore { get; init; } = 0;

    /// <summary>The load's core; null: wherever the system puts it.</summary>
    public int? LoadCore { get; init; } = 1;

    /// <summary>The stations' names; none: all.</summary>
    public IReadOnlyList<string> Only { get; init; } = [];

    /// <summary>How long a station may take to answer, in seconds.</summary>
    public double StartSecondsMax { get; init; } = 30;

    /// <summary>The names of the profiles.</summary>
    public static IReadOnlyList<string> Profiles { get; } = ["quick", "redis-clone", "fredis", "full"];

    /// <summary>A profile with its own durations.</summary>
    /// <exception cref="LabException">There is none of that name.</exception>
    public static LabPlan Of(string profile) => profile switch
    {
        "quick" => new LabPlan
        {
            Profile = profile,
            Workloads = ["missing", "present", "sweep"],
            Rounds = 1,
            StartSecondsMax = 120,
            MixSeconds = 0.2,
            WarmUpSeconds = 0.1,
            PresentKeyCount = 10_000,
            SweepSeconds = 0.02,
            SweepWarmUpCount = 200,
            SweepClients = [1, 16],
        },
        "redis-clone" => new LabPlan { Profile = profile, Workloads = ["missing", "present"] },
        "fredis" => new LabPlan { Profile = profile, Workloads = ["sweep"] },
        "full" => new LabPlan { Profile = profile, Workloads = ["missing", "present", "sweep"] },
        _ => throw new LabException($"no profile is called {profile}: {string.Join(", ", Profiles)}"),
    };
}
