using System.Buffers;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>Commands on places by their members' names: GEOADD, GEODIST, GEOHASH, GEOPOS.</summary>
public static class GeoCommands
{
    private const int WordsPerPlace = 3;

    /// <summary>GEOADD key [NX | XX] [CH] longitude latitude member [...].</summary>
    public static void GeoAdd(Execution execution)
    {
        if (!TryReadConditions(execution, out bool isNx, out bool isXx, out bool isCh, out int first))
            return;
        int count = (execution.ArgumentCount - first) / WordsPerPlace;
        double[] scores = ArrayPool<double>.Shared.Rent(count);
        try
        {
            for (int place = 0; place < count; place++)
            {
                int index = first + (place * WordsPerPlace);
                if (!GeoArguments.TryReadPoint(execution, index, out GeoPoint point))
                    return;
                scores[place] = Geohash.Encode(point);
            }

            Add(execution, first, scores.AsSpan(0, count), (isNx, isXx, isCh));
        }
        finally
        {
            ArrayPool<double>.Shared.Return(scores);
        }
    }

    /// <summary>GEODIST key member1 member2 [M | KM | FT | MI].</summary>
    public static void GeoDist(Execution execution)
    {
        double unit = 1;
        if (execution.ArgumentCount > 5)
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        if (execution.ArgumentCount == 5 && !GeoUnit.TryRead(execution, 4, out unit))
            return;
        if (!execution.TryFind(1, KeyType.SortedSet, out EntryView entry))
            return;
        SortedSetView set = execution.SortedSets.View(entry);
        if (!set.TryGetScore(execution.Argument(2), out double score1, execution.HintOf(2))
            || !set.TryGetScore(execution.Argument(3), out double score2))
        {
            execution.Reply.Null();
            return;
        }

        double distance = GeoDistance.Between(GeoScore.ToPoint(score1), GeoScore.ToPoint(score2));
        GeoReplies.ReplyDistance(ref execution.Reply, distance / unit);
    }

    /// <summary>GEOHASH key [member [member ...]].</summary>
    public static void GeoHash(Execution execution)
    {
        if (!execution.TryFind(1, KeyType.SortedSet, out EntryView entry))
            return;
        SortedSetView set = execution.SortedSets.View(entry);
        Span<byte> text = stackalloc byte[Geohash.TextLength];
        execution.Reply.ArrayHeader(execution.ArgumentCount - 2);
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (!set.TryGetScore(execution.Argument(index), out double score, execution.HintOf(index)))
            {
                execution.Reply.Null();
                continue;
            }

            Geohash.WriteText(GeoScore.ToBits(score), text);
            execution.Reply.Bulk(text);
        }
    }

    /// <summary>GEOPOS key [member [member ...]].</summary>
    public static void GeoPos(Execution execution)
    {
        if (!execution.TryFind(1, KeyType.SortedSet, out EntryView entry))
            return;
        SortedSetView set = execution.SortedSets.View(entry);
        execution.Reply.ArrayHeader(execution.ArgumentCount - 2);
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (set.TryGetScore(execution.Argument(index), out double score, execution.HintOf(index)))
                GeoReplies.ReplyPoint(ref execution.Reply, GeoScore.ToPoint(score));
            else
                execution.Reply.NullArray();
        }
    }

    private static bool TryReadConditions(
        Execution execution, out bool isNx, out bool isXx, out bool isCh, out int first)
    {
        isNx = isXx = isCh = false;
        for (first = 2; first < execution.ArgumentCount; first++)
        {
            if (execution.Is(first, "nx"u8))
                isNx = true;
            else if (execution.Is(first, "xx"u8))
                isXx = true;
            else if (execution.Is(first, "ch"u8))
                isCh = true;
            else
                break;
        }

        int left = execution.ArgumentCount - first;
        if (left > 0 && left % WordsPerPlace == 0 && !(isNx && isXx))
            return true;
        execution.Reply.Error(Errors.Syntax);
        return false;
    }

    private static void Add(
        Execution execution, int first, ReadOnlySpan<double> scores, (bool Nx, bool Xx, bool Ch) conditions)
    {
        Debug.Assert(first + (scores.Length * WordsPerPlace) == execution.ArgumentCount, "places are left");
        if (!execution.TryFindSlot(1, KeyType.SortedSet, out ValueSlot slot))
            return;
        Key key = execution.Key(1);
        SortedSetEditor set = execution.SortedSets.Edit(in key, in slot);
        set.Reserve(scores.Length);
        int added = 0;
        int updated = 0;
        for (int place = 0; place < scores.Length; place++)
        {
            ReadOnlySpan<byte> member = execution.Argument(first + (place * WordsPerPlace) + 2);
            if ((conditions.Nx || conditions.Xx)
                && set.View.TryGetScore(member, out _) != conditions.Xx)
                continue;
            set.Set(member, scores[place], out SortedSetChange change);
            added += change == SortedSetChange.Added ? 1 : 0;
            updated += change == SortedSetChange.Updated ? 1 : 0;
        }

        if (added + updated > 0)
        {
            execution.Keys.Changed(in key, KeyEvent.ZAdd);
            execution.Keys.CountChanges(added + updated - 1);
        }

        execution.Reply.Integer(conditions.Ch ? added + updated : added);
    }
}
