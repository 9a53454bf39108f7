using System;
using System.Runtime.CompilerServices;

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
                throw new ArgumentOutOfRangeException(nameof(index));
            return ref _items[index];
        }
    }

    /// <summary>The list without its first <paramref name="count"/> arguments.</summary>
    public ArgumentList Skip(int count) => new(_items + count, Count - count);
}
