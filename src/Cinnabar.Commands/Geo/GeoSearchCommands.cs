using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>
/// Searches for places: GEOSEARCH, GEOSEARCHSTORE, and the older GEORADIUS, GEORADIUSBYMEMBER and their
/// variants that only read.
/// </summary>
public static class GeoSearchCommands
{
    // To decode a place and to measure its distance.
    private const long PlaceCostNs = 100;

    // To see whether a place is on one side of a polygon's side or on the other.
    private const long SideCostNs = 1;

    /// <summary>GEORADIUS key longitude latitude radius unit [options].</summary>
    public static Outcome GeoRadius(Execution execution) => SearchCircle(execution, false, mayStore: true);

    /// <summary>GEORADIUS_RO key longitude latitude radius unit [options].</summary>
    public static Outcome GeoRadiusReadOnly(Execution execution) =>
        SearchCircle(execution, false, mayStore: false);

    /// <summary>GEORADIUSBYMEMBER key member radius unit [options].</summary>
    public static Outcome GeoRadiusByMember(Execution execution) =>
        SearchCircle(execution, true, mayStore: true);

    /// <summary>GEORADIUSBYMEMBER_RO key member radius unit [options].</summary>
    public static Outcome GeoRadiusByMemberReadOnly(Execution execution) =>
        SearchCircle(execution, true, mayStore: false);

    /// <summary>GEOSEARCH key origin shape [options].</summary>
    public static Outcome GeoSearch(Execution execution) => Search(execution, storeIndex: 0);

    /// <summary>GEOSEARCHSTORE destination source origin shape [options].</summary>
    public static Outcome GeoSearchStore(Execution execution) => Search(execution, storeIndex: 1);

    /// <summary>Whether a GEORADIUS names more than one destination: then only its handler knows which of
    /// them it is.</summary>
    public static bool HasSeveralStores(ArgumentList arguments)
    {
        int count = 0;
        for (int index = 1; index < arguments.Count; index++)
        {
            ReadOnlySpan<byte> word = arguments[index].Span;
            if (Ascii.EqualsIgnoreCase(word, "store"u8) || Ascii.EqualsIgnoreCase(word, "storedist"u8))
                count++;
        }

        return count > 1;
    }

    private static Outcome SearchCircle(Execution execution, bool isByMember, bool mayStore) =>
        Search(execution, new GeoForm(isByMember ? GeoFormKind.Member : GeoFormKind.Circle, 1, mayStore));

    private static Outcome Search(Execution execution, int storeIndex) =>
        Search(execution, new GeoForm(GeoFormKind.Search, storeIndex + 1, MayStore: false));

    private static Outcome Search(Execution execution, GeoForm form)
    {
        Outcome outcome = TryReadQuery(execution, form, out GeoQuery query, out EntryView entry)
            ? Answer(execution, ref query, entry, form.KeyIndex)
            : Outcome.Done;
        query.Dispose();
        return outcome;
    }

    private static bool TryReadQuery(
        Execution execution, GeoForm form, out GeoQuery query, out EntryView entry)
    {
        query = new GeoQuery
        {
            IsSearch = form.Kind == GeoFormKind.Search, StoreIndex = form.KeyIndex - 1,
            MayStore = form.MayStore,
        };
        if (!execution.TryFindKept(form.KeyIndex, KeyType.SortedSet, out entry))
            return false;
        SortedSetView set = execution.SortedSets.View(entry);
        var reader = new GeoQueryReader(execution, set, entry.IsMissing);
        return form.Kind switch
        {
            GeoFormKind.Search => reader.TryReadOptions(ref query, form.KeyIndex + 1),
            GeoFormKind.Member =>
                reader.TryReadCircleOfMember(ref query) && reader.TryReadOptions(ref query, 5),
            _ => reader.TryReadCircle(ref query) && reader.TryReadOptions(ref query, 6),
        };
    }

    private static Outcome Answer(Execution execution, ref GeoQuery query, EntryView entry, int keyIndex)
    {
        if (entry.IsMissing)
        {
            if (query.StoreIndex != 0)
                StoreNothing(execution, in query);
            else
                execution.Reply.ArrayHeader(0);
            return Outcome.Done;
        }

        SortedSetView set = execution.SortedSets.View(entry);
        GeoShape shape = query.Shape;
        Span<RankRange> ranges = stackalloc RankRange[GeoCover.CellCountMax];
        ranges = ranges[..GeoMatches.FindRanges(in set, in shape, ranges)];
        long placeCount = 0;
        foreach (RankRange range in ranges)
            placeCount += range.Count;
        if (execution.MustLeaveKeys(placeCount * (PlaceCostNs + (shape.SideCount * SideCostNs))))
        {
            if (query.StoreIndex == 0)
                return Outcome.OffLoopWithoutKeys;
            var steps = new Steps(query, keyIndex);
            // What it holds is the steps' now.
            query = default;
            return execution.StoreLater(steps);
        }

        GeoMatches matches = Collect(execution, ref query, in set, ranges, out int count);
        if (query.StoreIndex != 0)
            Store(execution, in query, in matches, count);
        else
            Reply(execution, in query, in matches, count);
        matches.Dispose();
        return Outcome.Done;
    }

    private static GeoMatches Collect(Execution execution, ref GeoQuery query, in SortedSetView set,
        ReadOnlySpan<RankRange> ranges, out int count)
    {
        // The nearest are not known before all are sorted.
        if (query.CountMax != 0 && query.Order == 0 && !query.IsAny)
            query.Order = 1;
        Debug.Assert(query.Kind is not null, "a query has a shape");
        GeoShape shape = query.Shape;
        var matches = new GeoMatches(execution.Keys);
        matches.Collect(in set, in shape, ranges, query.IsAny ? query.CountMax : 0);
        if (query.Order != 0)
            matches.Sort(isDescending: query.Order < 0);
        count = (int)(query.CountMax == 0 ? matches.Count : Math.Min(matches.Count, query.CountMax));
        return matches;
    }

    private static void Reply(Execution execution, in GeoQuery query, in GeoMatches matches, int count)
    {
        ref ReplyWriter reply = ref execution.Reply;
        int extraCount = (query.HasDistance ? 1 : 0) + (query.HasHash ? 1 : 0) + (query.HasPoint ? 1 : 0);
        reply.ArrayHeader(count);
        for (int rank = 0; rank < count; rank++)
        {
            if (extraCount > 0)
                reply.ArrayHeader(extraCount + 1);
            reply.Bulk(matches.MemberAt(rank));
            GeoMatches.Match match = matches[rank];
            if (query.HasDistance)
                GeoReplies.ReplyDistance(ref reply, match.Distance / query.Unit);
            if (query.HasHash)
                reply.Integer((long)match.Score);
            if (query.HasPoint)
                GeoReplies.ReplyPoint(ref reply, match.Point);
        }
    }

    private static void Store(Execution execution, in GeoQuery query, in GeoMatches matches, int count)
    {
        SortedSetBuilder made = execution.SortedSets.Build();
        Fill(ref made, in query, in matches, count);
        Store(execution, in query, ref made);
        made.Dispose();
    }

    private static void Fill(
        ref SortedSetBuilder made, in GeoQuery query, in GeoMatches matches, int count)
    {
        for (int rank = 0; rank < count; rank++)
        {
            GeoMatches.Match match = matches[rank];
            double score = query.StoresDistance ? match.Distance / query.Unit : match.Score;
            made.Add(matches.MemberAt(rank), score);
        }
    }

    private static void Store(Execution execution, in GeoQuery query, ref SortedSetBuilder made)
    {
        long count = made.Count;
        if (count == 0)
        {
            StoreNothing(execution, in query);
            return;
        }

        Debug.Assert(query.StoreIndex > 0, "there is no destination");
        Key target = execution.HashedKey(query.StoreIndex);
        made.Store(in target);
        KeyEvent stored = query.IsSearch ? KeyEvent.GeoSearchStore : KeyEvent.GeoRadiusStore;
        execution.Keys.Changed(in target, stored);
        execution.Keys.CountChanges(count - 1);
        if (GeoEffects.MustReplace(execution, in query))
            GeoEffects.Stored(execution, in target);
        execution.Reply.Integer(count);
    }

    private static void StoreNothing(Execution execution, in GeoQuery query)
    {
        Debug.Assert(query.StoreIndex > 0, "there is no destination");
        Key target = execution.HashedKey(query.StoreIndex);
        if (execution.Keys.Remove(in target))
        {
            execution.Keys.Changed(in target, KeyEvent.Deleted);
            if (GeoEffects.MustReplace(execution, in query))
                execution.Effects.Begin("DEL"u8).End(target.Span);
        }

        execution.Reply.Integer(0);
    }

    // They keep the query, and find the members again that it names: these may have changed. The vertices of
    // a polygon are left to the collector.
    private sealed class Steps(GeoQuery query, int keyIndex) : StoreSteps
    {
        private GeoQuery _query = query;
        private SortedSetBuilder _made;
        private bool _isMade;

        public override bool TryBuild(Execution execution)
        {
            Debug.Assert(!_isMade, "a result is built once");
            if (!execution.TryFindKept(keyIndex, KeyType.SortedSet, out EntryView entry))
                return false;
            SortedSetView set = execution.SortedSets.View(entry);
            if (!entry.IsMissing && !_query.TryFindMembers(execution, set))
                return false;
            _made = execution.SortedSets.Build();
            _isMade = true;
            if (entry.IsMissing)
                return true;
            GeoShape shape = _query.Shape;
            Span<RankRange> ranges = stackalloc RankRange[GeoCover.CellCountMax];
            ranges = ranges[..GeoMatches.FindRanges(in set, in shape, ranges)];
            GeoMatches matches = Collect(execution, ref _query, in set, ranges, out int count);
            Fill(ref _made, in _query, in matches, count);
            matches.Dispose();
            return true;
        }

        public override void Store(Execution execution)
        {
            Debug.Assert(_isMade, "there is no result");
            GeoSearchCommands.Store(execution, in _query, ref _made);
        }

        public override void Drop()
        {
            if (_isMade)
                _made.Dispose();
            _isMade = false;
        }
    }
}
