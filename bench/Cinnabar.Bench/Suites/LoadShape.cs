using System.Collections.Generic;
using Cinnabar.Load.Requests;

namespace Cinnabar.Bench.Suites;

/// <summary>A load of a <see cref="ThroughputSuite"/>: the name of its rows, the number of clients, the depth
/// of their pipelines, the commands.</summary>
internal sealed record LoadShape(string Name, int ClientCount, int Depth,
    IReadOnlyList<CommandTemplate> Commands)
{
    /// <summary>Long pipelines: parsing and lookups decide.</summary>
    public static LoadShape Deep { get; } =
        new("30 deep", 128, 30, [CommandTemplate.Set(1), CommandTemplate.Get(10)]);

    /// <summary>One request at a time: the system's sockets decide.</summary>
    public static LoadShape Flat { get; } = new("1 deep", 64, 1, [CommandTemplate.Get()]);
}
