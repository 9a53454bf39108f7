using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Scripts;

namespace Cinnabar.Engine.Scripting;

/// <summary>The checks before a script runs. A script with a first line that says what it does is judged by
/// that; any other at its first write.</summary>
internal static class ScriptAdmission
{
    /// <summary>Whether a script may not run: then the error has been replied.</summary>
    /// <param name="execution">Its execution.</param>
    /// <param name="script">The script.</param>
    /// <param name="isReadOnly">Whether it was called by a command that only reads.</param>
    /// <param name="writesNothing">Whether it may write nothing.</param>
    public static bool Refuses(
        SessionExecution execution, Script script, bool isReadOnly, out bool writesNothing)
    {
        ScriptHeader header = script.Header;
        bool saysNothingIsWritten = (header.Flags & ScriptFlags.NoWrites) != 0;
        writesNothing = isReadOnly || saysNothingIsWritten;
        if (!header.IsPresent)
            return false;
        var server = (ILoopServer)execution.Server;
        if (isReadOnly && !saysNothingIsWritten)
        {
            execution.Reply.Error("ERR Can not execute a script with write flag using *_ro command."u8);
            return true;
        }

        if (saysNothingIsWritten)
            return false;
        ReadOnlySpan<byte> error = default;
        if ((header.Flags & ScriptFlags.AllowOom) == 0 && server.MemoryLimit.IsExceeded)
            error = MemoryLimit.Error;
        else if (server.Gates.Has(ServerGates.DiskFailed))
            error = server.DiskErrors.Error;
        else if (server.ReplicaMinimum.IsSet)
            error = ReplicaMinimum.Error;
        if (error.IsEmpty)
            return false;
        execution.Reply.Error(error);
        return true;
    }
}
