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
        SessionExecution execution, Runnable script, bool isReadOnly, out bool writesNothing)
    {
        bool saysNothingIsWritten = (script.Flags & ScriptFlags.NoWrites) != 0;
        writesNothing = isReadOnly || saysNothingIsWritten;
        var server = (ILoopServer)execution.Server;
        if (!execution.IsReplay && RefusesOnReplica(execution, script, server.Gates))
            return true;
        if (!script.HasFlags)
            return false;
        if (isReadOnly && !saysNothingIsWritten)
        {
            execution.Reply.Error("ERR Can not execute a script with write flag using *_ro command."u8);
            return true;
        }

        if (saysNothingIsWritten || execution.IsReplay)
            return false;
        ReadOnlySpan<byte> error = default;
        if ((script.Flags & ScriptFlags.AllowOom) == 0
            && (server.MemoryLimit.IsShort || server.MemoryLimit.IsExceeded))
            error = server.MemoryLimit.Refusal;
        else if (server.Gates.Has(ServerGates.DiskFailed))
            error = server.DiskErrors.Error;
        else if (server.ReplicaMinimum.IsMissed)
            error = ReplicaMinimum.Error;
        if (error.IsEmpty)
            return false;
        execution.Reply.Error(error);
        return true;
    }

    // A script without a first line is judged at its first write, but must not see old data.
    private static bool RefusesOnReplica(SessionExecution execution, Runnable script, GateSet gates)
    {
        ScriptFlags flags = script.HasFlags ? script.Flags : ScriptFlags.NoWrites;
        ReadOnlySpan<byte> error = default;
        if (gates.Has(ServerGates.ReplicaReadOnly) && (flags & ScriptFlags.NoWrites) == 0)
            error = ReplicaErrors.ReadOnly;
        else if (gates.Has(ServerGates.MasterDown) && (flags & ScriptFlags.AllowStale) == 0)
            error = ReplicaErrors.MasterDown;
        if (error.IsEmpty)
            return false;
        execution.Reply.Error(error);
        return true;
    }

    /// <summary>Whether a number of keys is possible; else the error has been replied.</summary>
    public static bool IsKeyCount(SessionExecution execution, long count)
    {
        const int firstKey = 3;
        if (count > execution.ArgumentCount - firstKey)
            execution.Reply.Error("ERR Number of keys can't be greater than number of args"u8);
        else if (count < 0)
            execution.Reply.Error("ERR Number of keys can't be negative"u8);
        return count >= 0 && count <= execution.ArgumentCount - firstKey;
    }

    /// <summary>Whether a script must run elsewhere, as its last runs tell.</summary>
    /// <param name="execution">Its execution.</param>
    /// <param name="script">The script.</param>
    /// <param name="outcome">Where.</param>
    public static bool MustMove(SessionExecution execution, Runnable script, out Outcome outcome)
    {
        outcome = Outcome.Done;
        if (execution.Place == ExecutionPlace.Nested)
            return false;
        bool holdsAll = execution.Stripes.Count == execution.Keys.Keyspace.Stripes.Length;
        if (script.NeedsAllStripes && !holdsAll)
            outcome = Outcome.AllStripes;
        else if (execution.Place == ExecutionPlace.OnLoop && (script.IsLong || execution.MustLeaveLoop(0)))
            outcome = Outcome.OffLoop;
        return !outcome.IsDone;
    }
}
