using System;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Resp;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>Commands that give members scores: ZADD, ZINCRBY.</summary>
public static class AddCommands
{
    /// <summary>ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...].</summary>
    public static void ZAdd(Execution execution)
    {
        if (!TryAddOne(execution))
            Add(execution, isIncrement: false);
    }

    /// <summary>ZINCRBY key increment member.</summary>
    public static void ZIncrBy(Execution execution) => Add(execution, isIncrement: true);

    // One member and no options.
    private static bool TryAddOne(Execution execution)
    {
        const int score = 2;
        const int member = 3;
        Key key = execution.Key(1);
        if (execution.ArgumentCount != member + 1
            || !RedisNumber.TryParseDouble(execution.Argument(score), out double number)
            || !ShortPaths.TrySetScore(execution.Keys, in key, in execution.Arguments[member], number,
                out SortedSetChange change))
            return false;
        if (change != SortedSetChange.None)
            execution.Keys.Changed(in key, KeyEvent.ZAdd);
        execution.Reply.Integer(change == SortedSetChange.Added ? 1 : 0);
        return true;
    }

    private static void Add(Execution execution, bool isIncrement)
    {
        AddOptions options = default;
        if (!options.TryRead(execution, isIncrement, out int first)
            || !AreScores(execution, first)
            || !execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
            return;
        Key key = execution.Key(1);
        SortedSetEditor editor = execution.SortedSets.Edit(in key, in slot);
        editor.Reserve((execution.ArgumentCount - first) / 2);
        if (options.IsIncrement)
            Increment(execution, ref editor, in options, first);
        else
            AddAll(execution, ref editor, in options, first);
    }

    private static bool AreScores(Execution execution, int first)
    {
        for (int index = first; index < execution.ArgumentCount; index += 2)
        {
            if (RedisNumber.TryParseDouble(execution.Argument(index), out _))
                continue;
            execution.Reply.Error(Errors.NotFloat);
            return false;
        }

        return true;
    }

    private static void AddAll(Execution execution, ref SortedSetEditor editor, in AddOptions options,
        int first)
    {
        long addedCount = 0;
        long updatedCount = 0;
        int ahead = first + 1;
        for (int index = first; index < execution.ArgumentCount; index += 2)
        {
            if (index + 1 == ahead)
                ahead = execution.LoadAhead(index + 1, 2);
            RedisNumber.TryParseDouble(execution.Argument(index), out double score);
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
        int first)
    {
        RedisNumber.TryParseDouble(execution.Argument(first), out double increment);
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
