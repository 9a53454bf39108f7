// FUNCTION. What changes the libraries holds all stripes: a snapshot has those of its moment, and no run has
// a library in use that keeps state.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Scripts;
using Cinnabar.Persistence.Rdb.Reading;

namespace Cinnabar.Engine.Administration;

/// <summary>The commands that change the libraries of functions.</summary>
internal static class FunctionCommands
{
    private const long LoadNsMax = 500_000_000;

    /// <summary>FUNCTION LOAD [REPLACE] function-code</summary>
    public static Outcome Load(SessionExecution execution)
    {
        int last = execution.ArgumentCount - 1;
        bool isReplacing = false;
        for (int index = 2; index < last; index++)
        {
            if (!execution.Is(index, "replace"u8))
            {
                execution.Reply.Error("ERR Unknown option given: "u8, execution.Argument(index), ""u8);
                return Outcome.Done;
            }

            isReplacing = true;
        }

        try
        {
            LoadBounds bounds = BoundsOf(execution);
            FunctionEffects.CheckLevel(execution, execution.Argument(last));
            if (Libraries(execution).Add(execution.Argument(last), isReplacing, in bounds) is not { } library)
                return Outcome.OffLoop;
            execution.Keys.CountChanges(1);
            execution.Reply.Bulk(Encoding.ASCII.GetBytes(library.Name));
        }
        catch (LibraryException refusal)
        {
            Refuse(execution, refusal);
        }

        return Outcome.Done;
    }

    /// <summary>FUNCTION DELETE library-name</summary>
    public static void Delete(SessionExecution execution)
    {
        if (!Libraries(execution).TryDelete(Encoding.Latin1.GetString(execution.Argument(2))))
        {
            execution.Reply.Error("ERR Library not found"u8);
            return;
        }

        execution.Keys.CountChanges(1);
        execution.Reply.Ok();
    }

    /// <summary>FUNCTION FLUSH [ASYNC | SYNC]</summary>
    public static void Flush(SessionExecution execution)
    {
        if (execution.ArgumentCount > 3)
        {
            SubcommandError.Reply(execution);
            return;
        }

        if (execution.ArgumentCount == 3 && !execution.Is(2, "async"u8) && !execution.Is(2, "sync"u8))
        {
            execution.Reply.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option"u8);
            return;
        }

        FunctionEffects.Flushed(execution, isChange: Libraries(execution).Current.Libraries.Count > 0);
        Libraries(execution).Clear();
        execution.Keys.CountChanges(1);
        execution.Reply.Ok();
    }

    /// <summary>FUNCTION RESTORE serialized-value [FLUSH | APPEND | REPLACE]</summary>
    public static Outcome Restore(SessionExecution execution)
    {
        if (execution.ArgumentCount > 4)
        {
            SubcommandError.Reply(execution);
            return Outcome.Done;
        }

        if (!TryPolicy(execution, out RestorePolicy policy))
        {
            execution.Reply.Error("ERR Wrong restore policy given, value should be either FLUSH, APPEND or "u8
                + "REPLACE."u8);
            return Outcome.Done;
        }

        var payload = new DumpedLibraries(execution.Argument(2));
        if (!IsSound(execution, payload))
        {
            execution.Reply.Error("ERR DUMP payload version or checksum are wrong"u8);
            return Outcome.Done;
        }

        try
        {
            return Restore(execution, payload.Read(), policy);
        }
        catch (RdbFormatException fault)
        {
            execution.Reply.Error(Encoding.ASCII.GetBytes("ERR " + fault.Message));
        }
        catch (LibraryException refusal)
        {
            Refuse(execution, refusal);
        }

        return Outcome.Done;
    }

    /// <summary>FUNCTION KILL</summary>
    public static void Kill(SessionExecution execution) => ScriptKill.Run(execution, isFunction: true);

    private static FunctionLibraries Libraries(SessionExecution execution) => execution.Server.Libraries;

    // What an append-only file has, was loaded once within the bounds.
    private static LoadBounds BoundsOf(SessionExecution execution) => execution.IsReplay ? default
        : new LoadBounds(execution.Place == ExecutionPlace.OnLoop ? execution.LoopCostNsMax : 0, LoadNsMax);

    private static Outcome Restore(
        SessionExecution execution, List<byte[]> sources, RestorePolicy policy)
    {
        FunctionLibraries libraries = Libraries(execution);
        LoadBounds bounds = BoundsOf(execution);
        List<FunctionLibrary> loaded = [];
        HashSet<string> names = [];
        foreach (byte[] source in sources)
        {
            string name = LibraryHeader.Read(source).Name;
            if (!names.Add(name))
                throw new LibraryException($"Library '{name}' already exists");
            FunctionEffects.CheckLevel(execution, source);
            if (libraries.Load(source, in bounds) is not { } library)
                return Outcome.OffLoop;
            loaded.Add(library);
        }

        bool isFlush = policy == RestorePolicy.Flush && libraries.Current.Libraries.Count > 0;
        libraries.Restore(loaded, policy);
        FunctionEffects.Restored(execution, sources, isFlush);
        execution.Keys.CountChanges(1);
        execution.Reply.Ok();
        return Outcome.Done;
    }

    private static bool TryPolicy(SessionExecution execution, out RestorePolicy policy)
    {
        policy = RestorePolicy.Append;
        if (execution.ArgumentCount == 3 || execution.Is(3, "append"u8))
            return true;
        policy = execution.Is(3, "replace"u8) ? RestorePolicy.Replace : RestorePolicy.Flush;
        return policy == RestorePolicy.Replace || execution.Is(3, "flush"u8);
    }

    private static bool IsSound(SessionExecution execution, DumpedLibraries payload)
    {
        Durability.ReadOptions reading = execution.Engine.Data.Reading;
        if (!payload.IsWhole)
            return false;
        // As in Redis a version must not be too new, and may be 0.
        bool isKnown = payload.Version.IsKnown || payload.Version.Number == 0;
        return reading.IsUnchecked || ((isKnown || reading.IsVersionRelaxed) && payload.IsIntact);
    }

    private static void Refuse(SessionExecution execution, LibraryException refusal) =>
        execution.Reply.Error(Encoding.Latin1.GetBytes("ERR " + refusal.Message));
}
