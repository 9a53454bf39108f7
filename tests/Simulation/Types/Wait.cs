using System;
using System.Collections.Immutable;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>A client of the model that waits for keys.</summary>
/// <param name="Peer">Its number.</param>
/// <param name="Database">The database that its keys are in.</param>
/// <param name="Keys">The keys.</param>
/// <param name="Kind">The type that it waits for.</param>
/// <param name="Again">Its command, with its meaning at the beginning of the wait.</param>
internal sealed record Wait(
    int Peer, int Database, ImmutableArray<string> Keys, string Kind, Func<ModelRun, string?> Again)
{
    /// <summary>Whether it also ends, with an error, when its key is removed, changes its type or loses its
    /// group.</summary>
    public bool EndsWithKey { get; init; }

    /// <summary>What its command meant, where that depends on when it began to wait.</summary>
    public string Meaning { get; init; } = "";

    /// <summary>Whether it waits for a key.</summary>
    public bool IsFor(Place place) => place.Database == Database && Keys.Contains(place.Key);
}
