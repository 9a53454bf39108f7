// What the journal gets of changes to the libraries, where it cannot have the command as the client sent it.
// Before Redis 7.0 there are no functions, so none is loaded. Libraries from before the journal had that
// level are in what its readers have already; FUNCTION DELETE and FUNCTION FLUSH of these are recorded, since
// a library must not come back. A replay, of an append-only file or of a master's stream, drops nothing.

using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Scripts;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Engine.Administration;

/// <summary>Records what commands do to the libraries of functions.</summary>
internal static class FunctionEffects
{
    /// <summary>Refuses a library that the journal cannot have.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="source">Its text.</param>
    /// <exception cref="LibraryException">It cannot.</exception>
    internal static void CheckLevel(SessionExecution execution, ReadOnlySpan<byte> source)
    {
        if (!execution.IsReplay
            && execution.Effects is { IsRecording: true, Level: < CommandLevel.Redis70 })
        {
            throw new LibraryException(CommandLevelNames.Refusal(execution.Effects.Level.Name(), "functions",
                $"library '{LibraryHeader.Read(source).Name}'"));
        }
    }

    /// <summary>Records FUNCTION FLUSH.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="isChange">Whether there were libraries.</param>
    internal static void Flushed(SessionExecution execution, bool isChange)
    {
        if (!isChange && execution.Effects is { IsRecording: true, Level: < CommandLevel.Redis70 })
            execution.Effects.Replace();
    }

    /// <summary>Records FUNCTION RESTORE: a payload of a newer version than the journal's in that
    /// one.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="sources">The texts of the payload.</param>
    /// <param name="isFlush">Whether libraries from before have gone.</param>
    internal static void Restored(SessionExecution execution, List<byte[]> sources, bool isFlush)
    {
        const int payloadIndex = 2;
        if (!execution.Effects.IsRecording)
            return;
        WriteOptions writing = execution.Engine.Data.Writing;
        if (execution.Effects.Level < CommandLevel.Redis70 && sources.Count == 0)
        {
            execution.Effects.Replace();
            if (isFlush)
                execution.Effects.Begin("FUNCTION"u8).End("FLUSH"u8);
            return;
        }

        var payload = new DumpedLibraries(execution.Argument(payloadIndex));
        if (payload.Version.Number <= (int)writing.Compatibility)
            return;
        using RdbOutput output = writing.NewOutput();
        DumpPayload.WriteLibraries(output, CollectionsMarshal.AsSpan(sources), writing.Compatibility);
        execution.Effects.Begin("FUNCTION"u8).With("RESTORE"u8).With(output.Written)
            .With(execution.Arguments, payloadIndex + 1, execution.ArgumentCount - payloadIndex - 1).End();
    }
}
