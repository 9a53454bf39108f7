using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Administration;

/// <summary>The commands of a cluster, on a server that is in none.</summary>
internal static class ClusterCommands
{
    /// <summary>CLUSTER KEYSLOT: the hash slot of a key, which needs no cluster.</summary>
    public static void KeySlot(SessionExecution execution) =>
        execution.Reply.Integer(HashSlot.Of(execution.Argument(2)));

    /// <summary>CLUSTER (its other subcommands), CLUSTERSCAN, READONLY, READWRITE: refused.</summary>
    public static void Disabled(SessionExecution execution) =>
        execution.Reply.Error("ERR This instance has cluster support disabled"u8);
}
