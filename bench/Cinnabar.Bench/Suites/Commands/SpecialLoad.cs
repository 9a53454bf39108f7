using System.Collections.Generic;
using Cinnabar.Load;
using Cinnabar.Load.Requests;

namespace Cinnabar.Bench.Suites.Commands;

/// <summary>A load of a <see cref="SpecialSuite"/>.</summary>
/// <param name="Name">The name of its rows.</param>
/// <param name="ClientCount">How many clients.</param>
/// <param name="Depth">The depth of their pipelines.</param>
/// <param name="Commands">The commands, in the order of each client.</param>
internal sealed record SpecialLoad(
    string Name, int ClientCount, int Depth, params IReadOnlyList<CommandTemplate> Commands)
{
    private const int Megabyte = 1_000_000;

    /// <summary>The size of values in bytes.</summary>
    public int DataSize { get; init; } = 64;

    /// <summary>How many connections listen on the channel.</summary>
    public int SubscriberCount { get; init; }

    /// <summary>Requests that set the server up before, each as its words.</summary>
    public IReadOnlyList<string> On { get; init; } = [];

    /// <summary>Requests that undo this.</summary>
    public IReadOnlyList<string> Off { get; init; } = [];

    /// <summary>Whether a replica follows.</summary>
    public bool HasSink { get; init; }

    /// <summary>The channel of PUBLISH.</summary>
    public const string Channel = "channel";

    /// <summary>All of them.</summary>
    public static IReadOnlyList<SpecialLoad> All { get; } =
    [
        new("MULTI of 5 commands, 16 deep", 50, 16, Parse("MULTI", "SET __key__ __data__", "GET __key__",
            "INCR counter", "HSET hash __key__ 1", "EXISTS __key__", "EXEC")),
        new("pipelines of 1,000 GETs", 10, 1000, CommandTemplate.Get()),
        new("pipelines of 1,000 SETs", 10, 1000, CommandTemplate.Set()),
        new("SET of 1 MB, 8 clients", 8, 1, Parse("SET big __data__")) { DataSize = Megabyte },
        new("GET of 1 MB, 8 clients", 8, 1, Parse("GET big")),
        new("GET 1 deep, 1 connection", 1, 1, CommandTemplate.Get()),
        new("GET 1 deep, 10 connections", 10, 1, CommandTemplate.Get()),
        new("GET 1 deep, 1,000 connections", 1000, 1, CommandTemplate.Get()),
        new("GET 16 deep, 1 connection", 1, 16, CommandTemplate.Get()),
        new("GET 16 deep, 10 connections", 10, 16, CommandTemplate.Get()),
        new("GET 16 deep, 1,000 connections", 1000, 16, CommandTemplate.Get()),
        Publish(1), Publish(10), Publish(100),
        Mix("alone"),
        Mix("all events") with
        {
            On = ["CONFIG SET notify-keyspace-events KEA"],
            Off = ["CONFIG SET notify-keyspace-events ''"],
        },
        Mix("AOF everysec") with
        {
            On = ["CONFIG SET auto-aof-rewrite-percentage 0", "CONFIG SET appendonly yes"],
            Off = ["CONFIG SET appendonly no"],
        },
        Mix("a replica") with
        {
            On = ["CONFIG SET repl-diskless-sync-delay 0"],
            HasSink = true,
        },
    ];

    private static SpecialLoad Publish(int count) => new(
        $"PUBLISH to {count} subscribers", 10, 4, Parse($"PUBLISH {Channel} __data__"))
    {
        SubscriberCount = count,
    };

    private static SpecialLoad Mix(string name) => new($"SET:GET 1:10 30 deep, {name}",
        LoadShape.Deep.ClientCount, LoadShape.Deep.Depth, LoadShape.Deep.Commands);

    private static CommandTemplate[] Parse(params IReadOnlyList<string> requests) =>
        [.. System.Linq.Enumerable.Select(requests, request => CommandTemplate.Parse(request))];
}
