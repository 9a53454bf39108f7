using System;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;
using Cinnabar.Lab.Runner.Workloads;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>A workload that does what a test says.</summary>
internal sealed class ProbeWorkload(Action<RunningStation> measure) : IWorkload
{
    /// <inheritdoc/>
    public string Name { get; init; } = "probe";

    /// <inheritdoc/>
    public TimeSpan Limit { get; init; } = TimeSpan.FromMinutes(5);

    /// <inheritdoc/>
    public bool Takes(StationEntry station) => station.Line != "none";

    /// <inheritdoc/>
    public void Measure(RunningStation station, Run run, Action<Run> report)
    {
        measure(station);
        report(Runs.Of(run.Round, run.Station, (1, 100)) with { Workload = Name });
    }
}
