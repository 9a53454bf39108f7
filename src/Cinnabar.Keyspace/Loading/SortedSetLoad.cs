using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Keyspace.Loading;

/// <summary>Builds a sorted set. To be disposed of in any case; a mutable struct: always by
/// reference.</summary>
// SAFETY: what is copied is sound, and as large as the payload is made.
public unsafe ref struct SortedSetLoad
{
    private const int PairStride = 2;

    private readonly LoadedValue _value;
    private SortedSetBuilder _builder;

    /// <summary>Begins a set without members.</summary>
    public SortedSetLoad(LoadedValue value)
    {
        _value = value;
        _builder = value.SortedSets.Build();
    }

    /// <summary>Adds a member with a score, which is not NaN; false: it was there.</summary>
    public bool Add(scoped ReadOnlySpan<byte> member, double score)
    {
        long count = _builder.Count;
        _builder.Add(member, score);
        return _builder.Count > count;
    }

    /// <summary>Ends the building of a set that is not empty.</summary>
    public void Complete() => _builder.Store(_value.Entry);

    /// <summary>Gives up what was not completed.</summary>
    public void Dispose() => _builder.Dispose();

    /// <summary>Whether a listpack of pairs is a small sorted set as it is: scores in order, members
    /// too.</summary>
    /// <param name="listpack">A sound listpack of pairs without duplicates.</param>
    /// <param name="areScores">Whether every second entry is a number.</param>
    public static bool IsInOrder(byte* listpack, out bool areScores)
    {
        areScores = true;
        bool isInOrder = true;
        double lastScore = double.NegativeInfinity;
        var reader = new ListpackReader(listpack);
        Span<byte> scratch = stackalloc byte[ListpackValue.ScratchSize];
        Span<byte> lastScratch = stackalloc byte[ListpackValue.ScratchSize];
        int last = 0;
        for (int position = Listpack.HeaderSize; position < reader.End;
             position = reader.Behind(position, PairStride))
        {
            if (!SortedSetPack.TryScoreAt(reader, reader.Behind(position), out double score))
            {
                areScores = false;
                return false;
            }

            bool isBehind = last == 0 || score > lastScore || (score == lastScore
                && reader[last].AsText(lastScratch).SequenceCompareTo(reader[position].AsText(scratch)) < 0);
            isInOrder &= isBehind;
            (last, lastScore) = (position, score);
        }

        return isInOrder;
    }

    /// <summary>Takes a listpack as the set, if one may be so large.</summary>
    /// <param name="value">Where it is built.</param>
    /// <param name="listpack">A sound one, in order and without duplicates.</param>
    public static bool TryTake(LoadedValue value, byte* listpack)
    {
        var reader = new ListpackReader(listpack);
        if (reader.Size > KeyEntry.InlineValueLengthMax
            || !SortedSetStore.FitsPack(value.Access, reader.Count / PairStride, memberLengthMax: 0))
            return false;
        byte* payload = value.Entry.Begin(KeyType.SortedSet, KeyEncoding.Listpack, reader.Size);
        reader.Bytes.CopyTo(new Span<byte>(payload, reader.Size));
        return true;
    }

    /// <summary>The score in an entry that <see cref="IsInOrder"/> has seen.</summary>
    public static double ScoreAt(ListpackReader reader, int position) =>
        SortedSetPack.ScoreAt(reader, position);
}
