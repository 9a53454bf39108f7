// A page of a big list whose listpack is compressed, where list-compress-depth asks for that:
//
//   | page header | size of the listpack (4 bytes) | LZF ... | room |      Kind: -2
//
// Its Count is that of the listpack, so ranks are found without expanding anything. Such a page is not
// written to: a writer puts an expanded one in its place (Expanded). Readers expand it into memory of their
// own, for others may read the page at the same time, without a lock (snapshots).
using System.Buffers;
using Cinnabar.Structures.Compression;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: pages do not change while they are read; new ones have no other user until they are in a tree.
/// <summary>Makes compressed pages of a <see cref="ListPages"/> and expands them.</summary>
internal static unsafe class SqueezedPage
{
    private const int Kind = -2;
    private const int HeadSize = sizeof(int);
    private const int ListpackSizeMin = 48;

    /// <summary>Whether a page is compressed.</summary>
    internal static bool Is(TreePage* page) => page->Kind == Kind;

    /// <summary>Bytes of its listpack.</summary>
    internal static int SizeOf(TreePage* page) => *(int*)TreePage.Data(page);

    /// <summary>Its listpack, compressed.</summary>
    internal static ReadOnlySpan<byte> Bytes(TreePage* page) =>
        new(TreePage.Data(page) + HeadSize, page->Used - HeadSize);

    /// <summary>Expands its listpack.</summary>
    /// <param name="page">A compressed page.</param>
    /// <param name="listpack">Room for <see cref="SizeOf"/> bytes.</param>
    internal static void Expand(TreePage* page, Span<byte> listpack)
    {
        if (!Lzf.TryExpand(Bytes(page), listpack[..SizeOf(page)]))
            throw new InvalidOperationException("A compressed page of a list is corrupt.");
    }

    /// <summary>A compressed page of the elements of a packed one; null where that would be no
    /// smaller.</summary>
    internal static TreePage* Of(TreeSource source, TreePage* page)
    {
        if (page->Used < ListpackSizeMin) return null;
        byte[] rented = ArrayPool<byte>.Shared.Rent(page->Used);
        try
        {
            var listpack = new ReadOnlySpan<byte>(ListPage.Pack(page), page->Used);
            int size = Lzf.Compress(listpack, rented.AsSpan(0, page->Used));
            if (size == 0 || TreeSource.CapacityFor(HeadSize + size) >= page->Capacity) return null;
            TreePage* made = source.NewPage(page->Home, HeadSize + size);
            *(int*)TreePage.Data(made) = page->Used;
            rented.AsSpan(0, size).CopyTo(new Span<byte>(TreePage.Data(made) + HeadSize, size));
            made->Kind = Kind;
            made->Used = HeadSize + size;
            made->Count = page->Count;
            return made;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    /// <summary>A packed page of the elements of a compressed one.</summary>
    internal static TreePage* Expanded(TreeSource source, TreePage* page)
    {
        int size = SizeOf(page);
        TreePage* made = source.NewPage(page->Home, size);
        Expand(page, new Span<byte>(TreePage.Data(made), size));
        made->Used = size;
        made->Count = page->Count;
        return made;
    }

    /// <summary>How many of its elements are the text.</summary>
    internal static int CountEqual(TreePage* page, scoped ReadOnlySpan<byte> text)
    {
        byte[] rented = ArrayPool<byte>.Shared.Rent(SizeOf(page));
        Expand(page, rented);
        int count;
        fixed (byte* listpack = rented) count = ListSieve.CountEqual(listpack, text);
        ArrayPool<byte>.Shared.Return(rented);
        return count;
    }

    /// <summary>Whatever breaks an invariant, in words, or null. For tests.</summary>
    internal static string? FindFault(TreePage* page)
    {
        byte[] listpack = new byte[SizeOf(page)];
        Expand(page, listpack);
        return ListPage.FindFault(listpack, page->Count);
    }
}
