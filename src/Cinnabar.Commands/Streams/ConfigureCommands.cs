using Cinnabar.Keyspace;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>XCFGSET: sets what a stream remembers of its producers.</summary>
public static class ConfigureCommands
{
    private const long SecondsMax = 86_400;
    private const long CountLimit = 10_000;

    /// <summary>XCFGSET key [IDMP-DURATION seconds] [IDMP-MAXSIZE count].</summary>
    public static void XCfgSet(Execution execution)
    {
        long seconds = 0;
        long countMax = 0;
        for (int index = 2; index < execution.ArgumentCount; index += 2)
        {
            bool hasMore = index + 1 < execution.ArgumentCount;
            if (hasMore && execution.Is(index, "idmp-duration"u8))
            {
                if (!execution.TryInteger(index + 1, out seconds)) return;
                if (seconds is >= 1 and <= SecondsMax) continue;
                execution.Reply.Error("ERR IDMP-DURATION must be between 1 and 86400 seconds"u8);
                return;
            }
            if (!hasMore || !execution.Is(index, "idmp-maxsize"u8))
            {
                execution.Reply.Error(Errors.Syntax);
                return;
            }
            if (!execution.TryInteger(index + 1, out countMax)) return;
            if (countMax is >= 1 and <= CountLimit) continue;
            execution.Reply.Error("ERR IDMP-MAXSIZE must be between 1 and 10000 entries"u8);
            return;
        }
        if (seconds == 0 && countMax == 0)
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }
        if (!execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot)) return;
        if (slot.IsMissing)
        {
            execution.Reply.Error(Errors.NoSuchKey);
            return;
        }
        StreamEditor editor = StreamStore.Edit(slot);
        StreamProducers.Configure(ref editor.Stream, editor.Trees, seconds, countMax);
        execution.Keys.CountChanges(1);
        execution.Reply.Ok();
    }
}
