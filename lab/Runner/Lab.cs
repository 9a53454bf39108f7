using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using Cinnabar.Lab.Runner.Results;
using Cinnabar.Lab.Runner.Stations;
using Cinnabar.Lab.Runner.Workloads;

namespace Cinnabar.Lab.Runner;

/// <summary>Runs the steps one after another, and saves each result before the next. A station's fault (it
/// does not start, crashes, hangs, or answers nonsense) is a result and never ends the lab.
/// </summary>
internal sealed class Lab(LabPlan plan, string root, ResultFile file)
{
    private readonly Lock _lock = new();
    private RunningStation? _current;
    private bool _isEnding;

    /// <summary>Ends the running station, its step and the lab. From any thread.</summary>
    public void End()
    {
        lock (_lock)
        {
            _isEnding = true;
            _current?.Kill();
        }
    }

    /// <summary>Takes the steps that the document has not.</summary>
    /// <param name="document">What is measured already.</param>
    /// <param name="steps">All steps.</param>
    /// <param name="findings">What to compare.</param>
    /// <param name="display">Sees every step begin and end.</param>
    /// <exception cref="OperationCanceledException">It was ended; the file has what was measured.</exception>
    public LabDocument Run(LabDocument document, IReadOnlyList<Step> steps, IReadOnlyList<Finding> findings,
        ILabDisplay display)
    {
        List<Step> missing = [.. steps.Where(step => !document.Has(step))];
        display.Plan(steps.Count, steps.Count - missing.Count);
        file.Save(document);
        foreach (Step step in missing)
        {
            display.Begin(step);
            Run run = Take(step);
            if (_isEnding) throw new OperationCanceledException();
            document = document.With(run, findings);
            file.Save(document);
            display.End(step, run);
        }
        document = document with { EndedAt = DateTimeOffset.UtcNow };
        file.Save(document);
        return document;
    }

    private Run Take(Step step)
    {
        var run = new Run { Round = step.Round, Station = step.Station.Name, Workload = step.Workload.Name };
        long start = Stopwatch.GetTimestamp();
        RunningStation? station = null;
        bool isOverdue = false;
        string? failure = null;
        try
        {
            station = RunningStation.Start(step.Station, root, plan.ServerCore,
                TimeSpan.FromSeconds(plan.StartSecondsMax));
            SetCurrent(station);
            using var overdue = new Timer(_ =>
            {
                isOverdue = true;
                station.Kill();
            }, null, step.Workload.Limit, Timeout.InfiniteTimeSpan);
            run = run with { StartMs = station.StartMs };
            step.Workload.Measure(station, run, known => run = known);
        }
        catch (Exception wrong) when (wrong is not OutOfMemoryException)
        {
            // Any failure is this station's result; the others are still measured.
            string how = station is null ? "" : $"; {station.DescribeEnd()}";
            failure = isOverdue ? $"not done after {step.Workload.Limit.TotalSeconds:F0} s"
                : wrong.Message + how;
        }
        finally
        {
            SetCurrent(null);
            station?.Dispose();
        }
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return run with { Failure = failure, Seconds = seconds };
    }

    private void SetCurrent(RunningStation? station)
    {
        lock (_lock)
        {
            _current = station;
            if (_isEnding) station?.Kill();
        }
    }
}
