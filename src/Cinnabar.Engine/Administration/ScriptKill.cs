using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Scripting;

namespace Cinnabar.Engine.Administration;

/// <summary>SCRIPT KILL and FUNCTION KILL.</summary>
internal static class ScriptKill
{
    private static ReadOnlySpan<byte> Unkillable =>
        "UNKILLABLE Sorry the script already executed write commands against the dataset. You can either "u8
            + "wait the script termination or kill the server in a hard way using the SHUTDOWN NOSAVE "u8
            + "command."u8;

    /// <summary>Whether an execution was ended while it waited for a thread, and says so.</summary>
    /// <param name="execution">The execution of the script or function, about to run.</param>
    /// <param name="name">The name of that.</param>
    /// <param name="chunkName">Where errors of it are.</param>
    public static bool Refuses(SessionExecution execution, string name, string chunkName)
    {
        if (execution.Place != ExecutionPlace.OffLoop || execution.ScriptTurn.TryBegin())
            return false;
        execution.Reply.Error(Encoding.Latin1.GetBytes(
            $"ERR Script killed by user with SCRIPT KILL... script: {name}, on {chunkName}:1."));
        return true;
    }

    /// <summary>Ends what has run for longest.</summary>
    /// <param name="execution">The execution of the command.</param>
    /// <param name="isFunction">Whether a function, else a script.</param>
    public static void Run(SessionExecution execution, bool isFunction)
    {
        switch (execution.Engine.ScriptMachines.Running.Kill(isFunction))
        {
            case KillResult.Killed:
                execution.Reply.Ok();
                break;
            case KillResult.NotBusy when execution.Engine.SlowLane.Holders.TryKillWaiting(isFunction):
                execution.Reply.Ok();
                break;
            case KillResult.NotBusy:
                execution.Reply.Error("NOTBUSY No scripts in execution right now."u8);
                break;
            case KillResult.Unkillable:
                execution.Reply.Error(Unkillable);
                break;
            default:
                execution.Reply.Error(isFunction ? BusyReply.Script : BusyReply.Function);
                break;
        }
    }
}
