namespace Cinnabar.Resp;

/// <summary>The arguments of one command, its name first: a borrowed run of <see
/// cref="Argument"/>s.</summary>
public readonly unsafe struct ArgumentList
{
    // SAFETY: the owner of the argument buffer keeps it in place while the command executes.
    private readonly Argument* _items;

    /// <summary>Makes a list of <paramref name="count"/> arguments.</summary>
    public ArgumentList(Argument* items, int count)
    {
        Debug.Assert(count >= 0, "a list has no negative length");
        _items = items;
        Count = count;
    }

    /// <summary>Number of arguments, the command's name included.</summary>
    public int Count { get; }

    /// <summary>The argument at a position, 0 being the command's name.</summary>
    public ref Argument this[int index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if ((uint)index >= (uint)Count)
                ThrowIndex();
            return ref _items[index];
        }
    }

    // A method of its own keeps the indexer small enough to be inlined into every handler.
    private static void ThrowIndex() => throw new ArgumentOutOfRangeException("index");

    /// <summary>The list without its first <paramref name="count"/> arguments.</summary>
    public ArgumentList Skip(int count)
    {
        Debug.Assert((uint)count <= (uint)Count, "no more arguments are skipped than there are");
        return new(_items + count, Count - count);
    }
}
