using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Lab.Runner.Results;

namespace Cinnabar.Lab.Runner;

/// <summary>The command line.</summary>
internal sealed record LabOptions
{
    private static readonly LabPlan s_full = LabPlan.Of("full");

    /// <summary>What to measure.</summary>
    public required LabPlan Plan { get; init; }

    /// <summary>The repository's folder.</summary>
    public string Root { get; init; } = Directory.GetCurrentDirectory();

    /// <summary>Where the figures are kept; null: artifacts/lab/PROFILE.json.</summary>
    public string? Output { get; init; }

    /// <summary>The list of stations; null: lab/stations.json.</summary>
    public string? Stations { get; init; }

    /// <summary>Whether to keep the figures of the output's file and measure only the rest.</summary>
    public bool IsResumed { get; init; }

    /// <summary>Whether the stations are built first.</summary>
    public bool IsBuilt { get; init; } = true;

    /// <summary>Whether to make only the page, from existing figures.</summary>
    public bool IsReportOnly { get; init; }

    /// <summary>Where the figures are.</summary>
    public string File => Output ?? Path.Combine(Root, "artifacts/lab", Plan.Profile + ".json");

    /// <summary>Whether the repository is to show the figures: those of a whole run of everything, with
    /// nothing shortened but that it may have had more rounds.</summary>
    public bool IsPublished => Output is null && Stations is null && Plan.Rounds >= s_full.Rounds
        && ResultFile.IsSame(Plan with { Rounds = s_full.Rounds }, s_full);

    /// <summary>Whether to print only the help.</summary>
    public bool IsHelp { get; init; }

    /// <summary>The help.</summary>
    public static string Help => string.Join('\n',
        "./x lab --quick | --redis-clone | --fredis | --full  [options]",
        "  --quick            every station, briefly: whether all of it works (about a minute)",
        "  --redis-clone      line one's workload: missing keys, present keys (15 minutes)",
        "  --fredis           line two's sweep with redis-benchmark, 1 to 1,024 clients (12 minutes)",
        "  --stream-reads     the micro-benchmark of stream reads, instead of stations (5 minutes)",
        "  --full             both; makes what the READMEs show (27 minutes)",
        "  --rounds N         how often every station is measured, in turn with the others",
        "  --seconds S        how long one mixed workload lasts; --warm-up S: before that, not counted",
        "  --sweep-seconds S  how long one command is sent by one number of clients",
        "  --clients A,B,…    the sweep's numbers of clients",
        "  --keys N           how many keys are present; --missing-keys N: could be",
        "  --only A,B         only these stations",
        "  --server-core N, --load-core N   where they run; -1: wherever the system puts them",
        "  --stations FILE    another list than lab/stations.json",
        "  --output FILE      where the figures go (artifacts/lab/PROFILE.json)",
        "  --resume           go on where the file ends, after a run that was ended",
        "  --report           only make the page again, of the figures that are there",
        "  --no-build         the stations are built already");

    /// <summary>Reads the words of a command line.</summary>
    /// <exception cref="LabException">A word is unknown, or a value is missing or wrong.</exception>
    public static LabOptions Parse(IReadOnlyList<string> words)
    {
        string? profile = null;
        var rest = new List<string>();
        foreach (string word in words)
            if (word.StartsWith("--", StringComparison.Ordinal) && LabPlan.Profiles.Contains(word[2..]))
                profile = profile is null ? word[2..] : throw new LabException("one profile at a time");
            else rest.Add(word);
        bool isHelp = rest.Contains("--help") || rest.Contains("-h");
        if (profile is null && !isHelp) throw new LabException($"what to run?\n{Help}");
        var options = new LabOptions { Plan = LabPlan.Of(profile ?? "quick"), IsHelp = isHelp };
        for (int index = 0; index < rest.Count && !isHelp; index++)
            options = options.With(rest[index], () => ++index < rest.Count ? rest[index]
                : throw new LabException($"{rest[^1]} needs a value"));
        return options;
    }

    private LabOptions With(string word, Func<string> next) => word switch
    {
        "--root" => this with { Root = Path.GetFullPath(next()) },
        "--output" => this with { Output = Path.GetFullPath(next()) },
        "--stations" => this with { Stations = Path.GetFullPath(next()) },
        "--resume" => this with { IsResumed = true },
        "--report" => this with { IsReportOnly = true },
        "--no-build" => this with { IsBuilt = false },
        _ => this with { Plan = WithPlan(word, next) },
    };

    private LabPlan WithPlan(string word, Func<string> next) => word switch
    {
        "--rounds" => Plan with { Rounds = (int)Number(word, next(), 1) },
        "--seconds" => Plan with { MixSeconds = Number(word, next(), 0.01) },
        "--warm-up" => Plan with { WarmUpSeconds = Number(word, next(), 0) },
        "--sweep-seconds" => Plan with { SweepSeconds = Number(word, next(), 0.001) },
        "--clients" => Plan with
        {
            SweepClients = [.. Array.ConvertAll(next().Split(','), text => (int)Number(word, text, 1))],
        },
        "--keys" => Plan with { PresentKeyCount = (long)Number(word, next(), 1) },
        "--missing-keys" => Plan with { MissingKeyCount = (long)Number(word, next(), 1) },
        "--only" => Plan with { Only = next().Split(',') },
        "--server-core" => Plan with { ServerCore = Core(word, next()) },
        "--load-core" => Plan with { LoadCore = Core(word, next()) },
        _ => throw new LabException($"{word}?\n{Help}"),
    };

    private static int? Core(string word, string text) =>
        Number(word, text, -1) is var core && core < 0 ? null : (int)core;

    private static double Number(string word, string text, double least) =>
        double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double number)
        && number >= least ? number : throw new LabException($"{word} takes a number, at least {least}");
}
