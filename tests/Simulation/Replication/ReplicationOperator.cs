using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Simulation.Types;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>The client that changes how replicas are served, disconnects them, and has snapshots taken
/// beside.</summary>
/// <param name="seed">What it does comes from this.</param>
/// <param name="hasJournal">Whether it may switch the append-only file on.</param>
internal sealed class ReplicationOperator(ulong seed, bool hasJournal) : IWorkload
{
    private static readonly string[][] s_commands =
    [
        ["CONFIG", "SET", "repl-diskless-sync", "yes"], ["CONFIG", "SET", "repl-diskless-sync", "no"],
        ["CONFIG", "SET", "repl-diskless-sync-delay", "0"],
        ["CONFIG", "SET", "repl-diskless-sync-delay", "1"],
        ["CONFIG", "SET", "repl-diskless-sync-max-replicas", "2"],
        ["CONFIG", "SET", "repl-backlog-size", "16kb"], ["CONFIG", "SET", "repl-backlog-size", "1mb"],
        ["CONFIG", "SET", "repl-backlog-ttl", "1"], ["CONFIG", "SET", "repl-backlog-ttl", "3600"],
        ["CONFIG", "SET", "repl-ping-replica-period", "1"], ["CONFIG", "SET", "repl-timeout", "2"],
        ["CONFIG", "SET", "repl-timeout", "60"],
        ["CONFIG", "SET", "client-output-buffer-limit", "replica 300kb 0 0"],
        ["CONFIG", "SET", "client-output-buffer-limit", "replica 0 0 0"],
        ["CLIENT", "KILL", "TYPE", "replica"], ["DEBUG", "CHANGE-REPL-ID"], ["INFO", "replication"], ["ROLE"],
        ["CLIENT", "PAUSE", "20", "WRITE"], ["CLIENT", "UNPAUSE"], ["CLIENT", "LIST", "TYPE", "replica"],
        ["BGSAVE"], ["BGSAVE", "CANCEL"], ["SAVE"], ["WAIT", "1", "20"], ["WAIT", "2", "50"],
        ["FUNCTION", "FLUSH"],
        ["FUNCTION", "LOAD", "REPLACE", "#!lua name=one\nredis.register_function('f', function() end)"],
        ["FUNCTION", "LOAD", "REPLACE", "#!lua name=two\nredis.register_function('g', function() end)"],
        ["PUBLISH", "channel", "message"],
    ];

    private static readonly string[][] s_commandsOfJournal =
    [
        ["BGREWRITEAOF"], ["CONFIG", "SET", "appendonly", "yes"], ["CONFIG", "SET", "appendonly", "no"],
        ["CONFIG", "SET", "appendfsync", "always"], ["CONFIG", "SET", "appendfsync", "everysec"],
    ];

    private readonly Dice _dice = new(seed);

    /// <inheritdoc/>
    public Request Next()
    {
        string[] command = hasJournal && _dice.OneIn(5) ? _dice.Pick(s_commandsOfJournal)
            : _dice.Pick(s_commands);
        return _dice.OneIn(6) && command[0] is "BGSAVE" or "CONFIG" or "FUNCTION"
            ? Request.Any(["MULTI"], ["SET", "s0", "before"], command, ["SET", "s1", "behind"], ["EXEC"])
            : Request.Any(command) with { MayWait = command[0] == "WAIT" };
    }

    /// <inheritdoc/>
    public bool TryPush(RespValue reply) => false;

    /// <inheritdoc/>
    public void Disconnect()
    {
    }
}
