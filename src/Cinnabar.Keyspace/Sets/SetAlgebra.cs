// Intersections, unions and differences of sets.
//
// All trees have their members in the same order (HashPages). So a walk of one set that looks its members up
// in the others reads their pages one after the other, and they stay in the cache. That is why an
// intersection walks the smallest set and looks its members up in the others (two of similar size are merged,
// HashMerge), and why a union or a difference that is only replied does lookups, too, instead of building a
// set: it needs no memory, and a lookup costs half as much as an insertion.
//
// A listpack that many members are looked up in gets a table of its entries first (ListpackIndex).
//
// Lookups in many sets for each member cost too much: unions of more than a few sets are built. From a big
// set whose result will be stored, or that loses few members, the members are removed in a snapshot
// (PageTree), which costs nothing for those that stay.
using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Sets;

/// <summary>Operations on several sets at once, of one execution. First <see cref="Clear"/>, then
/// <see cref="Add"/> each set, then one operation.</summary>
// SAFETY: the sets are those of keys that the execution has locked, and are not changed in between.
public sealed unsafe class SetAlgebra
{
    private const int AskedCountMax = 4;

    // Up to this ratio of their sizes two trees are merged; beyond it the members of the smaller are looked
    // up.
    private const int MergeFactor = 8;

    private const long NsPerMember = 25;
    private const long NsPerQuestion = 50;
    private const long NsPerChange = 150;

    private readonly SetStore _store;
    private readonly Keyspace _keyspace;
    private readonly ListpackTables _tables = new();
    private Source[] _sources = new Source[8];
    private int _count;
    private long _total;

    internal SetAlgebra(SetStore store, KeyspaceAccess access)
    {
        _store = store;
        _keyspace = access.Keyspace;
    }

    /// <summary>Whether one of the sets has no members.</summary>
    public bool HasEmpty { get; private set; }

    /// <summary>Estimate of the work of <see cref="Intersect"/>, in nanoseconds.</summary>
    public long IntersectionNs
    {
        get
        {
            long smallest = long.MaxValue;
            foreach (Source source in _sources.AsSpan(0, _count))
                smallest = Math.Min(smallest, source.Count);
            return smallest * (NsPerMember + ((_count - 1) * NsPerQuestion));
        }
    }

    /// <summary>Estimate of the work of a union, in nanoseconds.</summary>
    public long UnionNs => _total * NsPerChange;

    /// <summary>Estimate of the work of a difference, in nanoseconds.</summary>
    public long DifferenceNs =>
        (_sources[0].Count * NsPerMember) + Math.Min(NsOfAsking(isStored: true), NsOfRemoving());

    /// <summary>Begins another operation.</summary>
    public void Clear()
    {
        _count = 0;
        _total = 0;
        HasEmpty = false;
    }

    /// <summary>Adds a set; an empty one where the view is of none.</summary>
    public void Add(SetView set)
    {
        if (_count == _sources.Length)
            Array.Resize(ref _sources, 2 * _count);
        long count = set.Count;
        _sources[_count++] = new Source(set.Payload, set.Encoding, count);
        _total += count;
        HasEmpty |= count == 0;
    }

    /// <summary>Shows the members that all sets have, up to a number of them.</summary>
    public void Intersect<TVisitor>(long countMax, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor, allows ref struct
    {
        Debug.Assert(_count > 0 && countMax > 0, "there is nothing to intersect");
        Span<Source> sources = _sources.AsSpan(0, _count);
        sources.Sort(static (left, right) => left.Count.CompareTo(right.Count));
        if (_count > 1 && ViewOf(0).IsTree && ViewOf(1).IsTree
            && _sources[1].Count / MergeFactor <= _sources[0].Count)
        {
            Merge(countMax, ref visitor);
            return;
        }

        BuildTables(1, _count, _sources[0].Count);
        foreach (SetMember member in ViewOf(0))
        {
            if (!AllHave(in member, 1))
                continue;
            visitor.Visit(in member);
            if (--countMax == 0)
                return;
        }
    }

    /// <summary>Builds the members that all sets have, as the store's result.</summary>
    public SetEditor StoreIntersection()
    {
        SetEditor result = _store.NewResult();
        var visitor = new AddingVisitor(result);
        Intersect(long.MaxValue, ref visitor);
        result.Repack();
        return result;
    }

    /// <summary>Shows the members that any of the sets has, each once.</summary>
    public void Unite<TVisitor>(ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor, allows ref struct
    {
        if (_count > AskedCountMax)
        {
            SetEditor result = StoreUnion();
            result.View.VisitAll(ref visitor);
            _store.Discard();
            return;
        }

        // The big ones first: their members are shown without lookups, and the lookups go to them.
        _sources.AsSpan(0, _count).Sort(static (left, right) => right.Count.CompareTo(left.Count));
        BuildTables(0, _count - 1, _sources[_count - 1].Count);
        for (int index = 0; index < _count; index++)
        {
            foreach (SetMember member in ViewOf(index))
            {
                if (NoneHas(in member, 0, index))
                    visitor.Visit(in member);
            }
        }
    }

    /// <summary>Builds the members that any of the sets has, as the store's result.</summary>
    public SetEditor StoreUnion()
    {
        Debug.Assert(_count > 0, "there is nothing to unite");
        int largest = 0;
        for (int index = 1; index < _count; index++)
            largest = _sources[index].Count > _sources[largest].Count ? index : largest;
        CollectionLimits limits = _keyspace.Limits;
        bool isTree = ViewOf(largest).IsTree && _sources[largest].Count
            > Math.Max(limits.SetIntsetEntriesMax, limits.SetListpackEntriesMax);
        if (!isTree && _count <= AskedCountMax)
            return StoreSmallUnion();
        SetEditor result = isTree ? _store.NewResult(ViewOf(largest)) : _store.NewResult();
        for (int index = 0; index < _count; index++)
        {
            if (isTree && index == largest)
                continue;
            foreach (SetMember member in ViewOf(index))
                result.Add(in member);
        }

        return result;
    }

    /// <summary>Shows the members of the first set that no other has.</summary>
    public void Subtract<TVisitor>(ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor, allows ref struct
    {
        if (LosesAll())
            return;
        if (ViewOf(0).IsTree && NsOfRemoving() < NsOfAsking(isStored: false))
        {
            RemoveOthers().View.VisitAll(ref visitor);
            _store.Discard();
            return;
        }

        BuildTables(1, _count, _sources[0].Count);
        foreach (SetMember member in ViewOf(0))
        {
            if (NoneHas(in member, 1, _count))
                visitor.Visit(in member);
        }
    }

    /// <summary>Builds the members of the first set that no other has, as the store's result.</summary>
    public SetEditor StoreDifference()
    {
        if (LosesAll())
            return _store.NewResult();
        if (ViewOf(0).IsTree && NsOfRemoving() < NsOfAsking(isStored: true))
        {
            SetEditor rest = RemoveOthers();
            rest.Rebuild();
            return rest;
        }

        SetEditor result = _store.NewResult();
        BuildTables(1, _count, _sources[0].Count);
        foreach (SetMember member in ViewOf(0))
        {
            if (NoneHas(in member, 1, _count))
                result.AddNew(in member);
        }

        return result;
    }

    // Members are looked up in the other sets, not in the result: those have tables.
    private SetEditor StoreSmallUnion()
    {
        SetEditor result = _store.NewResult();
        BuildTables(0, _count - 1, _sources[_count - 1].Count);
        for (int index = 0; index < _count; index++)
        {
            foreach (SetMember member in ViewOf(index))
            {
                if (NoneHas(in member, 0, index))
                    result.AddNew(in member);
            }
        }

        return result;
    }

    private void Merge<TVisitor>(long countMax, ref TVisitor visitor)
        where TVisitor : struct, ISetVisitor, allows ref struct
    {
        HashMerge common = ViewOf(0).Pages.Common(_keyspace.Trees, ViewOf(1).Pages);
        while (common.MoveNext())
        {
            var member = new SetMember(common.Current.Member);
            if (_count > 2 && !AllHave(in member, 2))
                continue;
            visitor.Visit(in member);
            if (--countMax == 0)
                return;
        }
    }

    private SetView ViewOf(int index) =>
        new(_sources[index].Payload, _sources[index].Encoding, _keyspace.Trees);

    // Of the listpacks among some sources that are asked often enough.
    private void BuildTables(int first, int end, long questionCount)
    {
        _tables.Clear();
        for (int index = 0; index < _count; index++)
        {
            ref Source source = ref _sources[index];
            bool isAsked = index >= first && index < end
                && source.Payload != null && source.Encoding == KeyEncoding.Listpack;
            source.Table = isAsked
                ? _tables.Add(new ListpackReader(source.Payload), stride: 1, questionCount) : 0;
        }
    }

    private bool Has(int index, in SetMember member)
    {
        ref readonly Source source = ref _sources[index];
        if (source.Table == 0)
            return ViewOf(index).Contains(in member);
        ListpackIndex table = _tables.Of(new ListpackReader(source.Payload), source.Table);
        return (member.IsInteger ? table.Find(member.Integer) : table.Find(member.Text)) != 0;
    }

    private bool AllHave(in SetMember member, int first)
    {
        for (int index = first; index < _count; index++)
        {
            if (!Has(index, in member))
                return false;
        }

        return true;
    }

    private bool NoneHas(in SetMember member, int first, int end)
    {
        for (int index = first; index < end; index++)
        {
            if (Has(index, in member))
                return false;
        }

        return true;
    }

    // Nothing is left of a set that is empty, or is taken from itself.
    private bool LosesAll()
    {
        for (int index = 1; index < _count; index++)
        {
            if (_sources[index].Payload == _sources[0].Payload)
                return true;
        }

        return _sources[0].Count == 0;
    }

    private long NsOfAsking(bool isStored) =>
        _sources[0].Count * (((_count - 1) * NsPerQuestion) + (isStored ? NsPerChange : 0));

    private long NsOfRemoving() => (_total - _sources[0].Count) * NsPerChange;

    private SetEditor RemoveOthers()
    {
        SetEditor result = _store.NewResult(ViewOf(0));
        for (int index = 1; index < _count; index++)
        {
            foreach (SetMember member in ViewOf(index))
                result.Remove(in member);
        }

        return result;
    }

    private struct Source(byte* payload, KeyEncoding encoding, long count)
    {
        public readonly byte* Payload = payload;
        public readonly KeyEncoding Encoding = encoding;
        public readonly long Count = count;
        public int Table;
    }

    private readonly ref struct AddingVisitor(SetEditor result) : ISetVisitor
    {
        private readonly SetEditor _result = result;

        public void Visit(in SetMember member) => _result.AddNew(in member);
    }
}
