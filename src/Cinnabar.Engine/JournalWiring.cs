using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;

namespace Cinnabar.Engine;

/// <summary>Connects a journal with its server.</summary>
internal static class JournalWiring
{
    /// <summary>Makes the journal of a server whose loops are about to be made.</summary>
    public static ServerJournal Make(ServerEngine engine) => new(new JournalSurroundings
    {
        Configuration = engine.Configuration,
        Clock = engine.Clock,
        Log = engine.Log,
        Recording = engine.Keyspace.Recording,
        DiskErrors = engine.DiskErrors,
        WriteHold = engine.WriteHold,
        Latency = engine.Observation.Latency,
        IsSaving = () => engine.Data.Snapshots.Current is not null,
        DurableAdvanced = () =>
        {
            foreach (Loop loop in engine.Loops)
                loop.Runner.Output.Held.Advance();
        },
        // No fault of the server's own: it ends with these words alone.
        Fail = message =>
        {
            engine.Log.Write(LogLevel.Warning, message);
            engine.Faulted?.Invoke(new InvalidOperationException(message));
        },
    });
}
