// A leaf of a PageTree: this header, then Capacity bytes that belong to the page's format (a listpack of a
// list or a stream, a RecordPage of a set, hash or sorted set, one element of half a gigabyte).
//
//   0            4          8      12      16     20     24
//   | References | Capacity | Used | Count | Home | Kind | contents ... |
//
// The whole block is a block of its arena, slack and all: Capacity + 24 is exactly what it costs. References
// comes first here and in TreeNode: code that counts references need not know which of them a child is.

namespace Cinnabar.Structures.Trees;

/// <summary>The header of a page.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct TreePage
{
    /// <summary>How many nodes lead here; one, and theirs likewise, means that a writer may write.</summary>
    internal int References;

    /// <summary>Bytes behind the header.</summary>
    internal int Capacity;

    /// <summary>Bytes of those in use, as the format counts them.</summary>
    internal int Used;

    /// <summary>Elements in the page, at least 1 once it is in a tree.</summary>
    internal int Count;

    /// <summary>The arena it came from.</summary>
    internal int Home;

    /// <summary>For the format: what kind of page this is, where it has several.</summary>
    internal int Kind;

    // SAFETY: the header was allocated with Capacity bytes behind it.
    /// <summary>The contents.</summary>
    internal static byte* Data(TreePage* page) => (byte*)(page + 1);

    /// <summary>What it costs, slack and all.</summary>
    internal static long BytesOf(TreePage* page) => page->Capacity + (long)sizeof(TreePage);
}
