using System.Collections.Generic;
using System.Linq;
using Cinnabar.Load.Requests;

namespace Cinnabar.Bench.Suites.Scaling;

/// <summary>A load of a <see cref="ScaleSuite"/>.</summary>
/// <param name="Name">The name of its rows.</param>
/// <param name="ClientCount">Number of its clients.</param>
/// <param name="Depth">How many requests each sends at once.</param>
/// <param name="Commands">Its commands.</param>
internal sealed record ScaleLoad(string Name, int ClientCount, int Depth,
    IReadOnlyList<CommandTemplate> Commands)
{
    /// <summary>The channel of <see cref="SubscriberCrowd"/>.</summary>
    public const string Channel = "news";

    private const int DeepClientCount = 128;
    private const int FlatClientCount = 64;
    private const int Deep = 30;
    private const int Middle = 16;
    private const int KeysOfCommand = 10;

    /// <summary>How many keys it has; null: as many as the suite.</summary>
    public long? KeyCount { get; private init; }

    /// <summary>How many connections listen to the channel meanwhile.</summary>
    public int SubscriberCount { get; private init; }

    /// <summary>All of them.</summary>
    public static IReadOnlyList<ScaleLoad> All { get; } =
    [
        new("SET:GET 1:10, 30 deep", DeepClientCount, Deep,
            [CommandTemplate.Set(1), CommandTemplate.Get(10)]),
        new("GET, 1 deep", FlatClientCount, 1, [CommandTemplate.Get()]),
        new("MSET of 10 keys, 16 deep", DeepClientCount, Middle, [CommandTemplate.Parse("MSET "
            + string.Join(' ', Enumerable.Repeat("__key__ __data__", KeysOfCommand)))]),
        new("PUBLISH to 4 subscribers, 16 deep", DeepClientCount, Middle,
            [CommandTemplate.Parse($"PUBLISH {Channel} __data__")]) { SubscriberCount = 4 },
        new("SET:GET 1:10 of one key, 30 deep", DeepClientCount, Deep,
            [CommandTemplate.Set(1), CommandTemplate.Get(10)]) { KeyCount = 1 },
    ];
}
