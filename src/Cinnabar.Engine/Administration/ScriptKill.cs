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
            case KillResult.NotBusy when !isFunction && execution.Engine.SlowLane.TryKillWaitingScript():
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
