using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Server;

/// <summary>The commands of a cluster, on a server that is in none.</summary>
internal static class ClusterCommands
{
    /// <summary>CLUSTER (all subcommands), READONLY, READWRITE: refused.</summary>
    public static void Disabled(SessionExecution execution) =>
        execution.Reply.Error("ERR This instance has cluster support disabled"u8);
}
