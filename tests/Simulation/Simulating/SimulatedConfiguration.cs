using Cinnabar.Platform;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>What a simulated server is configured with.</summary>
internal static class SimulatedConfiguration
{
    /// <summary>The defaults, or limits that make trees of small collections, too.</summary>
    public static (string Directive, string Value)[] Make(ref RandomSource random) => random.NextBelow(2) == 0
        ? []
        : [("list-max-listpack-size", "1"), ("zset-max-listpack-entries", "0"),
            ("set-max-listpack-entries", "0")];
}
