using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Scripting;
using Cinnabar.Engine.Scripts;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Engine.Administration;

/// <summary>The commands that show the libraries of functions.</summary>
internal static class FunctionViews
{
    private const long NsPerMs = 1_000_000;

    // The names of flags as functions say them.
    private static (ScriptFlags Flag, string Name)[] FlagNames =>
    [
        (ScriptFlags.NoWrites, "no-writes"), (ScriptFlags.AllowOom, "allow-oom"),
        (ScriptFlags.AllowStale, "allow-stale"), (ScriptFlags.NoCluster, "no-cluster"),
        (ScriptFlags.AllowCrossSlotKeys, "allow-cross-slot-keys"),
    ];

    /// <summary>FUNCTION DUMP</summary>
    public static void Dump(SessionExecution execution)
    {
        Durability.WriteOptions options = execution.Engine.Data.Writing;
        using RdbOutput output = options.NewOutput();
        DumpPayload.WriteLibraries(output, execution.Server.Libraries.Current.Sources, options.Compatibility);
        execution.Reply.Bulk(output.Written);
    }

    /// <summary>FUNCTION LIST [LIBRARYNAME pattern] [WITHCODE]: an array of maps.</summary>
    public static void List(SessionExecution execution)
    {
        int patternIndex = 0;
        bool hasCode = false;
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (!hasCode && execution.Is(index, "withcode"u8))
            {
                hasCode = true;
            }
            else if (patternIndex != 0 || !execution.Is(index, "libraryname"u8))
            {
                execution.Reply.Error("ERR Unknown argument "u8, execution.Argument(index), ""u8);
                return;
            }
            else if (++index == execution.ArgumentCount)
            {
                execution.Reply.Error("ERR library name argument was not given"u8);
                return;
            }
            else
            {
                patternIndex = index;
            }
        }

        List<FunctionLibrary> shown = [];
        foreach (FunctionLibrary library in execution.Server.Libraries.Current.Libraries)
        {
            if (patternIndex == 0 || GlobPattern.Matches(
                execution.Argument(patternIndex), Encoding.ASCII.GetBytes(library.Name), ignoreCase: true))
                shown.Add(library);
        }

        execution.Reply.ArrayHeader(shown.Count);
        foreach (FunctionLibrary library in shown)
            Show(ref execution.Reply, library, hasCode);
    }

    /// <summary>FUNCTION STATS</summary>
    public static void Stats(SessionExecution execution)
    {
        ref ReplyWriter reply = ref execution.Reply;
        RunningFunction? running = execution.Engine.ScriptMachines.Running.LongestFunction();
        if (running is null && execution.Engine.Gates.Has(ServerGates.Busy))
        {
            reply.Error(BusyReply.Script);
            return;
        }

        reply.MapHeader(2);
        reply.Bulk("running_script"u8);
        if (running is null)
            reply.Null();
        else
            Show(ref reply, running, execution.Engine.Clock.MonotonicNanoseconds);
        LibrarySet libraries = execution.Server.Libraries.Current;
        reply.Bulk("engines"u8);
        reply.MapHeader(1);
        reply.Bulk("LUA"u8);
        reply.MapHeader(2);
        reply.Bulk("libraries_count"u8);
        reply.Integer(libraries.Libraries.Count);
        reply.Bulk("functions_count"u8);
        reply.Integer(libraries.FunctionCount);
    }

    private static void Show(ref ReplyWriter reply, RunningFunction running, long nowNs)
    {
        reply.MapHeader(3);
        reply.Bulk("name"u8);
        reply.Bulk(Encoding.ASCII.GetBytes(running.Name));
        reply.Bulk("command"u8);
        reply.ArrayHeader(running.Command.Length);
        foreach (byte[] argument in running.Command)
            reply.Bulk(argument);
        reply.Bulk("duration_ms"u8);
        reply.Integer((nowNs - running.StartNs) / NsPerMs);
    }

    private static void Show(ref ReplyWriter reply, FunctionLibrary library, bool hasCode)
    {
        reply.MapHeader(hasCode ? 4 : 3);
        reply.Bulk("library_name"u8);
        reply.Bulk(Encoding.ASCII.GetBytes(library.Name));
        reply.Bulk("engine"u8);
        reply.Bulk("LUA"u8);
        reply.Bulk("functions"u8);
        reply.ArrayHeader(library.Functions.Length);
        foreach (LibraryFunction function in library.Functions)
            Show(ref reply, function);
        if (!hasCode)
            return;
        reply.Bulk("library_code"u8);
        reply.Bulk(library.Source);
    }

    private static void Show(ref ReplyWriter reply, LibraryFunction function)
    {
        reply.MapHeader(3);
        reply.Bulk("name"u8);
        reply.Bulk(Encoding.ASCII.GetBytes(function.Name));
        reply.Bulk("description"u8);
        if (function.Description is { } description)
            reply.Bulk(description);
        else
            reply.Null();
        reply.Bulk("flags"u8);
        reply.SetHeader(BitOperations.PopCount((uint)function.Flags));
        foreach ((ScriptFlags flag, string name) in FlagNames)
        {
            if ((function.Flags & flag) != 0)
                reply.SimpleString(Encoding.ASCII.GetBytes(name));
        }
    }
}
