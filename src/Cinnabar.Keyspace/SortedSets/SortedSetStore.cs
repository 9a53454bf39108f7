using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.SortedSets;

/// <summary>
/// Sorted sets: how they are stored, small ones as a listpack (SortedSetPack), big ones as a
/// <see cref="SortedSetTree"/>. Declares nothing (see
/// <see cref="KeyspaceAccess.Changed(in Key, KeyEvent)"/>).
/// </summary>
public sealed unsafe class SortedSetStore(KeyspaceAccess access)
{
    /// <summary>Bytes of the payload of a tree: its two addresses.</summary>
    internal const int TreeHandleSize = 2 * sizeof(ulong);

    private readonly KeyspaceAccess _access = access;
    private readonly ListpackTables _tables = new();
    private SmallResult? _small;

    /// <summary>The set in an entry, which is missing or a sorted set.</summary>
    public SortedSetView View(EntryView entry) =>
        entry.IsMissing ? default : ViewOf(entry, _access.Keyspace.Trees);

    /// <summary>Changes the set in a key's slot, which is missing or a sorted set.</summary>
    public SortedSetEditor Edit(in Key key, in ValueSlot slot) => new(_access, in key, in slot);

    /// <summary>Whether a listpack may have this number of members of at most this length.</summary>
    public bool FitsPack(long count, long memberLengthMax) => FitsPack(_access, count, memberLengthMax);

    /// <summary>A new set, of no key yet, to be disposed of.</summary>
    public SortedSetBuilder Build() => new(_access, _small ??= new SmallResult());

    /// <summary>A copy of a set that is no listpack, of no key yet, in constant time; to be disposed
    /// of.</summary>
    /// <param name="entry">An entry whose stripe is locked, or that has been kept.</param>
    public SortedSetBuilder Copy(EntryView entry) =>
        new(_access, EntryValue.SortedSet(KeyEntry.Value(entry.Entry)).Retain());

    /// <summary>An input of a command that combines sets.</summary>
    /// <param name="entry">Missing, a sorted set or a set.</param>
    /// <param name="weight">What its scores are multiplied with.</param>
    /// <param name="place">Which of the inputs it is.</param>
    public ScoredSource Source(EntryView entry, double weight, int place)
    {
        long count = entry.IsMissing ? 0
            : entry.Type == KeyType.Set ? new SetView(
                KeyEntry.Value(entry.Entry), entry.Encoding, _access.Keyspace.Trees).Count
            : View(entry).Count;
        return new ScoredSource(entry, count, weight, place);
    }

    /// <summary>Makes tables of those listpacks among the sources that will be asked often enough. They
    /// serve until this is called again, or a set changes.</summary>
    /// <param name="sources">The sources that will be asked, in their final order.</param>
    /// <param name="questionCount">How many members each will be asked for.</param>
    public void BuildTables(Span<ScoredSource> sources, long questionCount)
    {
        _tables.Clear();
        foreach (ref ScoredSource source in sources)
        {
            source.Table = source.IsListpack
                ? _tables.Add(source.Listpack, source.Stride, questionCount) : 0;
        }
    }

    /// <summary>The score of a member of a source, without its weight.</summary>
    public bool TryGetScore(in ScoredSource source, scoped ReadOnlySpan<byte> member, out double score)
    {
        if (source.Table != 0)
            return TryGetScoreByTable(in source, member, out score);
        if (!source.IsSet)
            return source.View(_access).TryGetScore(member, out score);
        score = 1;
        return source.Members(_access).Contains(member);
    }

    private bool TryGetScoreByTable(
        in ScoredSource source, scoped ReadOnlySpan<byte> member, out double score)
    {
        int position = _tables.Of(source.Listpack, source.Table).Find(member);
        score = 1;
        if (position != 0 && !source.IsSet)
            score = SortedSetPack.ScoreAt(source.Listpack, source.Listpack.Behind(position));
        return position != 0;
    }

    /// <summary>Goes through the members of a source.</summary>
    public ScoredEnumerator Enumerate(in ScoredSource source) => new(in source, _access);

    internal static SortedSetView ViewOf(EntryView entry, TreeSource trees) =>
        ViewOf(KeyEntry.Value(entry.Entry), entry.Encoding, trees);

    // SAFETY: entries of sorted sets have a listpack or the handle of a tree as their payload.
    internal static SortedSetView ViewOf(byte* payload, KeyEncoding encoding, TreeSource trees) =>
        encoding == KeyEncoding.Listpack
            ? new SortedSetView(payload)
            : new SortedSetView(EntryValue.SortedSet(payload), trees);

    /// <summary>Whether a listpack may have this number of members of at most this length.</summary>
    internal static bool FitsPack(KeyspaceAccess access, long count, long memberLengthMax)
    {
        CollectionLimits limits = access.Keyspace.Limits;
        return count <= limits.SortedSetListpackEntriesMax
            && memberLengthMax <= limits.SortedSetListpackValueMax;
    }
}
