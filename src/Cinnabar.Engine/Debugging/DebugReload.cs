// DEBUG RELOAD: saves the data set, empties the server, and loads the file, for tests that values survive
// this. The execution holds all stripes: the file is written directly, without a snapshot's moment, and the
// loader's threads take no stripe. It runs in the slow lane. Clients are refused with -LOADING while the file
// is loaded, as with Redis.

using System.IO;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Rdb.Reading;

namespace Cinnabar.Engine.Debugging;

/// <summary>DEBUG RELOAD. For clients, journal and counters nothing has changed behind it, but that the data
/// are saved.</summary>
internal static class DebugReload
{
    /// <summary>DEBUG RELOAD [MERGE] [NOFLUSH] [NOSAVE]</summary>
    public static Outcome Run(SessionExecution execution)
    {
        (bool isMerging, bool isFlushing, bool isSaving) = (false, true, true);
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "merge"u8))
            {
                isMerging = true;
            }
            else if (execution.Is(index, "noflush"u8))
            {
                isFlushing = false;
            }
            else if (execution.Is(index, "nosave"u8))
            {
                isSaving = false;
            }
            else
            {
                execution.Reply.Error(
                    "ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options."u8);
                return Outcome.Done;
            }
        }

        if (execution.MustLeaveLoop(long.MaxValue))
            return Outcome.OffLoop;
        DataFiles data = execution.Engine.Data;
        string? path = isSaving ? data.Saves.TrySaveHeld(execution.Keys) : data.SnapshotPath;
        if (path is null)
            execution.Reply.Error("ERR"u8);
        else if (!TryLoad(execution, path, isMerging, isFlushing))
            execution.Reply.Error("ERR Error trying to load the RDB dump, check server logs."u8);
        else
            execution.Reply.Ok();
        return Outcome.Done;
    }

    private static bool TryLoad(
        SessionExecution execution, string path, bool isMerging, bool isFlushing)
    {
        ServerEngine engine = execution.Engine;
        if (isFlushing)
        {
            execution.Keys.Empty();
            engine.FunctionMachines.Libraries.Clear();
        }

        try
        {
            engine.Data.Loading.LoadFile(path, new DataLoadOptions
            {
                ReplacesKeys = isMerging,
                IsHoldingStripes = true,
                // The append-only file and replicas need the DEL of each key that ends; a replica waits
                // for it.
                KeepsExpired = engine.Data.Journal.IsRecording || engine.Keyspace.IsReplica,
            });
        }
        catch (Exception fault) when (
            fault is IOException or UnauthorizedAccessException or RdbFormatException)
        {
            LoadFailures.Write(engine.Log, path, fault);
            return false;
        }

        engine.Log.Write(LogLevel.Warning, "DB reloaded by DEBUG RELOAD");
        return true;
    }
}
