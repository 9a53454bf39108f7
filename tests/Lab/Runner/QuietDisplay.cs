using System;
using System.Collections.Generic;
using Cinnabar.Lab.Runner;
using Cinnabar.Lab.Runner.Results;

namespace Cinnabar.Tests.Lab.Runner;

/// <summary>Notes the steps that it sees, and calls what a test wants called then.</summary>
internal sealed class QuietDisplay : ILabDisplay
{
    /// <summary>Round and station of each step that began.</summary>
    public List<string> Begun { get; } = [];

    /// <summary>Called when a step begins.</summary>
    public Action? OnBegin { get; init; }

    /// <inheritdoc/>
    public void Plan(int count, int doneCount)
    {
    }

    /// <inheritdoc/>
    public void Begin(Step step)
    {
        Begun.Add($"{step.Round} {step.Station.Name}");
        OnBegin?.Invoke();
    }

    /// <inheritdoc/>
    public void End(Step step, Run run)
    {
    }
}
