using System;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;

namespace Cinnabar.Lab.Runner.Workloads;

/// <summary>A way to load a station.</summary>
internal interface IWorkload
{
    /// <summary>Its name in the figures.</summary>
    string Name { get; }

    /// <summary>The longest time of a station under it; one that takes longer hangs.</summary>
    TimeSpan Limit { get; }

    /// <summary>Whether a station takes part.</summary>
    bool Takes(StationEntry station);

    /// <summary>Loads a fresh station, and adds each result to the run.</summary>
    /// <param name="station">The station, which answers.</param>
    /// <param name="run">The run so far.</param>
    /// <param name="report">Takes the results so far: they are kept even if the rest fails.</param>
    void Measure(RunningStation station, Run run, Action<Run> report);
}
