// DEBUG LOADAOF: empties the server and loads its append-only file again, for tests that what was recorded
// makes the same data. As in DEBUG RELOAD, the execution holds all stripes and runs in the slow lane, and
// clients are refused with -LOADING meanwhile. Where Redis ends because there is nothing to load, or it
// cannot be loaded, the reply is an error.

using System.IO;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Journal.Loading;
using Cinnabar.Persistence.Rdb.Reading;

namespace Cinnabar.Engine.Debugging;

/// <summary>DEBUG LOADAOF. For clients, journal and counters nothing has changed behind it.</summary>
internal static class DebugLoadAof
{
    /// <summary>DEBUG LOADAOF</summary>
    public static Outcome Run(SessionExecution execution)
    {
        if (execution.MustLeaveLoop(long.MaxValue))
            return Outcome.OffLoop;
        DataFiles data = execution.Engine.Data;
        data.Rewrites.Hold(true);
        try
        {
            if (TryLoad(execution))
                execution.Reply.Ok();
            else
                execution.Reply.Error("ERR Error trying to load the AOF files, check server logs."u8);
        }
        finally
        {
            data.Rewrites.Hold(false);
        }

        return Outcome.Done;
    }

    private static bool TryLoad(SessionExecution execution)
    {
        ServerEngine engine = execution.Engine;
        DataFiles data = engine.Data;
        try
        {
            if (data.Loading.IsActive)
                throw new AofLoadException("DEBUG LOADAOF: data are being loaded already");
            if (data.Journal.IsOn && data.Journal.WriteAll() is { } error)
                throw new AofLoadException($"DEBUG LOADAOF: the AOF file cannot be written: {error}");
            if (data.AppendOnly.Find().Manifest == AofManifest.Empty)
                throw new AofLoadException("DEBUG LOADAOF: there is no AOF file");
            execution.Keys.Empty();
            data.Loading.LoadAppendOnlyAgain();
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException
            or AofLoadException or AofManifestException or RdbFormatException)
        {
            LoadFailures.Write(execution.Engine.Log, data.AppendOnly.Directory.ManifestPath, fault);
            return false;
        }

        engine.Log.Write(LogLevel.Warning, "Append Only File loaded by DEBUG LOADAOF");
        return true;
    }
}
