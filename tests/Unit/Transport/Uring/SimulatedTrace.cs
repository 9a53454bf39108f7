using System.Collections.Generic;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>What a simulated kernel was called for, and what it did: runs of the same seed have equal
/// ones.</summary>
internal sealed class SimulatedTrace
{
    private readonly List<(string What, int Number, long Result)> _events = [];

    /// <summary>The events, in their order.</summary>
    public IReadOnlyList<(string What, int Number, long Result)> Events => _events;

    /// <summary>Adds an event.</summary>
    /// <param name="what">What it is.</param>
    /// <param name="number">What it is of: an operation, or a descriptor of the simulated kernel.</param>
    /// <param name="result">What came out.</param>
    public void Add(string what, int number, long result) => _events.Add((what, number, result));
}
