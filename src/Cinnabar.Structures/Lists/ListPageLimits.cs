// How much lies in one page of a list. The setting is Redis's list-max-listpack-size: 1 and more is a number
// of elements (and 8 KiB at most), -1 to -5 are sizes of 4, 8, 16, 32 and 64 KiB.
//
// A listpack that is a whole list may have just that size. Of the pages of a big list it is the size of their
// blocks, header and all: blocks of a power of two fill a slab without a rest.
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

/// <summary>The most that a page of a list, or a list that is one listpack, may hold.</summary>
public readonly struct ListPageLimits
{
    private const int CountLimit = short.MaxValue;
    private const int CountedBytesMax = 8 << 10;
    private const int ClassUnitBytes = 2 << 10;
    private const int ClassMax = 5;

    private const int CompressDepthMax = 256;

    /// <param name="setting">As <c>list-max-listpack-size</c> has it; 0 means 1, below -5 means -5.</param>
    /// <param name="compressDepth">As <c>list-compress-depth</c> has it; above 256 means 256.</param>
    public ListPageLimits(int setting, int compressDepth = 0)
    {
        CompressDepth = Math.Min(compressDepth, CompressDepthMax);
        bool isClass = setting < 0;
        CountMax = isClass ? CountLimit : Math.Clamp(setting, 1, CountLimit);
        IsClass = isClass;
        BytesMax = isClass ? ClassUnitBytes << (int)Math.Min(-(long)setting, ClassMax) : CountedBytesMax;
    }

    private bool IsClass { get; }

    /// <summary>Pages at either end that are never compressed; 0: none is.</summary>
    public int CompressDepth { get; }

    /// <summary>Elements.</summary>
    public int CountMax { get; }

    /// <summary>Bytes of a listpack that is a whole list.</summary>
    public int BytesMax { get; }

    /// <summary>Bytes of a list that becomes a listpack again: half of a size; where elements are counted, it
    /// is half of their number that matters.</summary>
    public int ShrunkBytesMax => IsClass ? BytesMax / 2 : BytesMax;

    /// <summary>Bytes of a listpack that is a page of several.</summary>
    internal unsafe int PageBytesMax => BytesMax - sizeof(TreePage);
}
