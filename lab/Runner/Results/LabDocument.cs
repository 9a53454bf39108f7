using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Lab.Runner.Stations;

namespace Cinnabar.Lab.Runner.Results;

/// <summary>All data of one run of the lab; lab/README.md describes its file.
/// </summary>
internal sealed record LabDocument
{
    /// <summary>The version of the file's form.</summary>
    public const int CurrentSchema = 1;

    /// <summary>The version of this file's form.</summary>
    public int Schema { get; init; } = CurrentSchema;

    /// <summary>What was to be measured.</summary>
    public required LabPlan Plan { get; init; }

    /// <summary>When it began.</summary>
    public DateTimeOffset StartedAt { get; init; }

    /// <summary>When it was complete; null: it is not.</summary>
    public DateTimeOffset? EndedAt { get; init; }

    /// <summary>Where.</summary>
    public required MachineFacts Machine { get; init; }

    /// <summary>Versions by program name.</summary>
    public IReadOnlyDictionary<string, string> Versions { get; init; } = new Dictionary<string, string>();

    /// <summary>The stations as they were listed.</summary>
    public IReadOnlyList<StationEntry> Stations { get; init; } = [];

    /// <summary>Every start of every station: the raw figures.</summary>
    public IReadOnlyList<Run> Runs { get; init; } = [];

    /// <summary>Medians and spread over the rounds.</summary>
    public IReadOnlyList<SummaryRow> Summary { get; init; } = [];

    /// <summary>The percentiles' medians.</summary>
    public IReadOnlyList<LatencyCurve> Curves { get; init; } = [];

    /// <summary>What the authors found beside what is found here.</summary>
    public IReadOnlyList<FindingResult> Findings { get; init; } = [];

    /// <summary>How far the rounds differ.</summary>
    public IReadOnlyList<NoiseFigures> Noise { get; init; } = [];

    /// <summary>The same with another run, and all that follows from the runs reckoned anew.</summary>
    public LabDocument With(Run run, IReadOnlyList<Finding> findings)
    {
        LabDocument added = this with { Runs = [.. Runs, run] };
        IReadOnlyList<SummaryRow> summary = SummaryRow.All(added.Runs);
        added = added with
        {
            Summary = summary,
            Curves = LatencyCurve.All(added.Runs),
            Noise = NoiseFigures.All(summary),
        };
        return added.Tried(findings);
    }

    /// <summary>The same with findings as they are worded and compared now.</summary>
    public LabDocument Tried(IReadOnlyList<Finding> findings) =>
        this with { Findings = [.. findings.Select(Try)] };

    private FindingResult Try(Finding finding)
    {
        NoiseFigures? noise = Noise.FirstOrDefault(noise => noise.Workload == finding.Workload);
        return FindingResult.Of(finding, Runs, noise?.Median ?? 0);
    }

    /// <summary>Whether a step is measured already.</summary>
    public bool Has(Step step) => Runs.Any(run => run.Round == step.Round && run.Station == step.Station.Name
        && run.Workload == step.Workload.Name);
}
