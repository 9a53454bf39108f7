using Cinnabar.Keyspace.Journaling;
using Cinnabar.Keyspace.Streams;
using Cinnabar.Structures.Streams;

namespace Cinnabar.Commands.Streams;

/// <summary>XCFGSET: sets what a stream remembers of its producers.</summary>
public static class ConfigureCommands
{
    private const int SecondsMax = 86_400;
    private const int CountLimit = 10_000;

    /// <summary>XCFGSET key [IDMP-DURATION seconds] [IDMP-MAXSIZE count].</summary>
    public static void XCfgSet(Execution execution)
    {
        if (!execution.TryFindSlot(1, KeyType.Stream, out ValueSlot slot)) return;
        if (slot.IsMissing)
        {
            execution.Reply.Error(Errors.NoSuchKey);
            return;
        }
        int seconds = 0;
        int countMax = 0;
        for (int index = 2; index < execution.ArgumentCount; index += 2)
        {
            bool isDuration = execution.Is(index, "idmp-duration"u8);
            if (index + 1 == execution.ArgumentCount
                || (!isDuration && !execution.Is(index, "idmp-maxsize"u8)))
            {
                execution.Reply.Error(Errors.Syntax);
                return;
            }
            ref int value = ref isDuration ? ref seconds : ref countMax;
            if (value != 0)
            {
                execution.Reply.Error(isDuration
                    ? "ERR IDMP-DURATION specified multiple times"u8
                    : "ERR IDMP-MAXSIZE specified multiple times"u8);
                return;
            }
            if (!TryRead(execution, index + 1, isDuration, out value)) return;
        }
        if (seconds == 0 && countMax == 0)
        {
            execution.Reply.Error("ERR At least one parameter must be specified"u8);
            return;
        }
        StreamEditor editor = StreamStore.Edit(slot);
        StreamProducers.Configure(ref editor.Stream, editor.Trees, seconds, countMax);
        execution.Keys.CountChanges(1);
        // An older version gets entries without their producers.
        if (execution.Effects is { IsRecording: true, Level: < CommandLevel.Redis74 })
            execution.Effects.Replace();
        execution.Reply.Ok();
    }

    private static bool TryRead(Execution execution, int index, bool isDuration, out int value)
    {
        value = 0;
        if (!execution.TryInteger(index, out long number)) return false;
        if (number >= 1 && number <= (isDuration ? SecondsMax : CountLimit))
        {
            value = (int)number;
            return true;
        }
        execution.Reply.Error(isDuration
            ? "ERR IDMP-DURATION must be between 1 and 86400 seconds"u8
            : "ERR IDMP-MAXSIZE must be between 1 and 10000 entries"u8);
        return false;
    }
}
