using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Commands that give members scores: ZADD, ZINCRBY.</summary>
public static class AddCommands
{
    /// <summary>ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...].</summary>
    public static void ZAdd(Execution execution) => Add(execution, isIncrement: false);

    /// <summary>ZINCRBY key increment member.</summary>
    public static void ZIncrBy(Execution execution) => Add(execution, isIncrement: true);

    private static void Add(Execution execution, bool isIncrement)
    {
        AddOptions options = default;
        if (!options.TryRead(execution, isIncrement, out int first)
            || !AreScores(execution, first, out double firstScore)
            || !execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
            return;
        Key key = execution.Key(1);
        SortedSetEditor editor = execution.SortedSets.Edit(in key, in slot);
        editor.Reserve((execution.ArgumentCount - first) / 2);
        if (options.IsIncrement)
            Increment(execution, ref editor, in options, first, firstScore);
        else
            AddAll(execution, ref editor, in options, first, firstScore);
    }

    private static bool AreScores(Execution execution, int first, out double firstScore)
    {
        bool isScore = RedisNumber.TryParseDouble(execution.Argument(first), out firstScore);
        for (int index = first + 2; isScore && index < execution.ArgumentCount; index += 2)
            isScore = RedisNumber.TryParseDouble(execution.Argument(index), out _);
        if (!isScore)
            execution.Reply.Error(Errors.NotFloat);
        return isScore;
    }

    private static void AddAll(Execution execution, ref SortedSetEditor editor, in AddOptions options,
        int first, double firstScore)
    {
        Debug.Assert(first < execution.ArgumentCount && (execution.ArgumentCount - first) % 2 == 0,
            "a score has a member");
        long addedCount = 0;
        long updatedCount = 0;
        int ahead = first + 1;
        double score = firstScore;
        for (int index = first; index < execution.ArgumentCount; index += 2)
        {
            if (index + 1 == ahead)
                ahead = execution.LoadAhead(index + 1, 2);
            if (index > first)
                RedisNumber.TryParseDouble(execution.Argument(index), out score);
            ReadOnlySpan<byte> member = execution.Argument(index + 1);
            ScoreHint hint = execution.ScoreHintOf(index + 1);
            if (options.NeedsOldScore)
            {
                MemberHint known = execution.HintOf(index + 1);
                bool isThere = editor.View.TryGetScore(member, out double oldScore, known);
                if (!options.Allows(isThere, oldScore, score))
                    continue;
            }

            editor.Set(member, score, out SortedSetChange change, hint);
            addedCount += change == SortedSetChange.Added ? 1 : 0;
            updatedCount += change == SortedSetChange.Updated ? 1 : 0;
        }

        Declare(execution, KeyEvent.ZAdd, addedCount + updatedCount);
        execution.Reply.Integer(addedCount + (options.CountsChanges ? updatedCount : 0));
    }

    private static void Increment(Execution execution, ref SortedSetEditor editor, in AddOptions options,
        int first, double increment)
    {
        Debug.Assert(first + 2 == execution.ArgumentCount, "one member is incremented");
        ReadOnlySpan<byte> member = execution.Argument(first + 1);
        bool isThere = editor.View.TryGetScore(member, out double oldScore, execution.HintOf(first + 1));
        double score = isThere ? oldScore + increment : increment;
        if (double.IsNaN(score))
        {
            execution.Reply.Error("ERR resulting score is not a number (NaN)"u8);
            return;
        }

        if (!options.Allows(isThere, oldScore, score))
        {
            execution.Reply.Null();
            return;
        }

        editor.Set(member, score, out SortedSetChange change, execution.ScoreHintOf(first + 1));
        Declare(execution, KeyEvent.ZIncr, change == SortedSetChange.None ? 0 : 1);
        execution.Reply.Double(score);
    }

    private static void Declare(Execution execution, KeyEvent keyEvent, long count)
    {
        if (count == 0)
            return;
        execution.Keys.Changed(execution.Key(1), keyEvent);
        execution.Keys.CountChanges(count - 1);
    }
}
