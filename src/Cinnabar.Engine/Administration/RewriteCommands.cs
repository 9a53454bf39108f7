using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Administration;

/// <summary>BGREWRITEAOF. Its spec has all stripes locked: the moment of the base is that of the
/// command.</summary>
internal static class RewriteCommands
{
    /// <summary>BGREWRITEAOF.</summary>
    public static void BgRewriteAof(SessionExecution execution)
    {
        DataFiles data = execution.Engine.Data;
        if (data.Rewrites.IsUnderWay)
        {
            execution.Reply.Error("ERR Background append only file rewriting already in progress"u8);
        }
        else if (data.Snapshots.IsBusy || data.Rewrites.IsSwitchingOff || !execution.CanWait)
        {
            // The base must not have half of a transaction, whose record is behind it.
            data.Rewrites.Schedule();
            execution.Reply.SimpleString("Background append only file rewriting scheduled"u8);
        }
        else if (data.Rewrites.TryBegin())
        {
            execution.Reply.SimpleString("Background append only file rewriting started"u8);
        }
        else
        {
            execution.Reply.Error("ERR Can't execute an AOF background rewriting. Please check the server "u8
                + "logs for more information."u8);
        }
    }
}
