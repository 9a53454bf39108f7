using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Administration;

/// <summary>The commands of a cluster, on a server that is in none.</summary>
internal static class ClusterCommands
{
    /// <summary>CLUSTER KEYSLOT: the hash slot of a key, which needs no cluster.</summary>
    public static void KeySlot(SessionExecution execution) =>
        execution.Reply.Integer(HashSlot.Of(execution.Argument(2)));

    /// <summary>READONLY: a replica answers reads, also of a client that follows redirections. Of others it
    /// always does, so for them this is a command of clusters.</summary>
    public static void ReadOnly(SessionExecution execution) => SetReadOnly(execution, isReadOnly: true);

    /// <summary>READWRITE: takes READONLY back.</summary>
    public static void ReadWrite(SessionExecution execution) => SetReadOnly(execution, isReadOnly: false);

    /// <summary>CLUSTER (its other subcommands), CLUSTERSCAN: refused.</summary>
    public static void Disabled(SessionExecution execution) =>
        execution.Reply.Error("ERR This instance has cluster support disabled"u8);

    private static void SetReadOnly(SessionExecution execution, bool isReadOnly)
    {
        if (!execution.Session.FollowsRedirections)
        {
            Disabled(execution);
            return;
        }

        execution.Session.IsReadOnly = isReadOnly;
        execution.Reply.Ok();
    }
}
