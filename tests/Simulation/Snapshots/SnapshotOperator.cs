using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Simulation.Types;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Snapshots;

/// <summary>The client that has snapshots taken, and the append-only file rewritten, switched on and off.
/// </summary>
internal sealed class SnapshotOperator(ulong seed) : IWorkload
{
    private static readonly string[][] s_commands =
    [
        ["BGSAVE"], ["BGSAVE"], ["BGSAVE", "SCHEDULE"], ["BGSAVE", "CANCEL"], ["SAVE"], ["BGREWRITEAOF"],
        ["BGREWRITEAOF"], ["CONFIG", "SET", "appendonly", "yes"], ["CONFIG", "SET", "appendonly", "no"],
        ["CONFIG", "SET", "appendfsync", "always"], ["CONFIG", "SET", "appendfsync", "everysec"],
        ["CONFIG", "SET", "aof-use-rdb-preamble", "no"], ["CONFIG", "SET", "aof-use-rdb-preamble", "yes"],
        ["INFO", "persistence"], ["DEBUG", "RELOAD"],
    ];

    private readonly Dice _dice = new(seed);

    /// <inheritdoc/>
    public Request Next()
    {
        string[] command = _dice.Pick(s_commands);
        return _dice.OneIn(6) && command[0] is "BGSAVE" or "BGREWRITEAOF" or "CONFIG"
            ? Request.Any(["MULTI"], ["SET", "s0", "before"], command, ["SET", "s1", "behind"], ["EXEC"])
            : Request.Any(command);
    }

    /// <inheritdoc/>
    public bool TryPush(RespValue reply) => false;

    /// <inheritdoc/>
    public void Disconnect()
    {
    }
}
