using System;
using System.Collections.Generic;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Tests.Support.Files;

namespace Cinnabar.Tests.Simulation.Snapshots;

/// <summary>The disk of a simulated server, and the savers that write snapshots to it: each does a step when
/// it is told to.</summary>
internal sealed class SimulatedDisk
{
    private readonly List<Func<bool>> _savers = [];

    /// <summary>The files.</summary>
    public SimulatedFileSystem Files { get; } = new();

    /// <summary>What may wait for a saver.</summary>
    public required SnapshotOptions Bounds { get; init; }

    /// <summary>Called at the moment of a snapshot, under all stripes.</summary>
    public Action? Taken { get; set; }

    /// <summary>Whether there is no snapshot whose saver has not ended.</summary>
    public bool IsIdle => _savers.Count == 0;

    /// <summary>Takes a saver; the moment of its snapshot is this one.</summary>
    public void Schedule(Func<bool> step)
    {
        _savers.Add(step);
        Taken?.Invoke();
    }

    /// <summary>Has a saver do what it can do now.</summary>
    public void StepSaver()
    {
        if (_savers.Count == 0)
            return;
        Func<bool> step = _savers[0];
        _savers.RemoveAt(0);
        if (step())
            _savers.Add(step);
    }
}
