using System.Collections.Immutable;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>The watches of a client of the model, and whether they are broken.</summary>
/// <param name="Keys">The keys.</param>
internal sealed record Watching(ImmutableList<WatchedKey> Keys)
{
    /// <summary>Watching nothing.</summary>
    public static Watching None { get; } = new([]);

    /// <summary>Whether a key has visibly changed: its transaction must fail.</summary>
    public bool IsBroken { get; init; }

    /// <summary>Whether a client wrote a key's old value to it: its transaction may fail.</summary>
    public bool MayBeBroken { get; init; }

    /// <summary>It with a key more.</summary>
    public Watching With(WatchedKey key) =>
        Keys.Exists(one => one.Place == key.Place) ? this : this with { Keys = Keys.Add(key) };

    /// <summary>It after a key was written to.</summary>
    /// <param name="place">The key.</param>
    /// <param name="old">What it had; null: it was not there.</param>
    /// <param name="new">What it has.</param>
    public Watching After(Place place, Entry? old, Entry? @new)
    {
        if (IsBroken || !Keys.Exists(one => one.Place == place))
            return this;
        return Shape(old) == Shape(@new) ? this with { MayBeBroken = true } : this with { IsBroken = true };
    }

    /// <summary>All of it.</summary>
    public string Describe() => $"{IsBroken} {MayBeBroken} {string.Join(' ', Keys)}";

    // Changes of fields' deadlines and of groups need not be noticed.
    private static string Shape(Entry? entry) => entry is null ? "none"
        : $"{entry.Content.Kind} {entry.Deadline} " + entry.Content switch
        {
            Content.Fields hash => string.Join(' ', hash.Items.Select(
                static one => $"{one.Key}={one.Value.Text}")),
            Content.Stream stream => $"{stream.Last} {string.Join(' ', stream.Entries)}",
            Content other => other.Describe(),
        };
}
