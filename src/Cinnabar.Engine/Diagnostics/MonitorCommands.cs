using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Diagnostics;

internal static class MonitorCommands
{
    /// <summary>MONITOR. Repeated, it has no reply.</summary>
    public static void Monitor(SessionExecution execution)
    {
        if (execution.Place == ExecutionPlace.Nested)
        {
            execution.Reply.Error("ERR MONITOR isn't allowed for DENY BLOCKING client"u8);
            return;
        }

        if ((execution.Session.Flags & SessionFlags.Monitor) != 0)
            return;
        execution.Engine.Monitors.Add(execution.Session);
        execution.Reply.Ok();
    }
}
