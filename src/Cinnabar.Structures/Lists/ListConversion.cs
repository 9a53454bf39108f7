using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: pages are reached through a tree that the caller's lock or reference keeps alive.
/// <summary>A <see cref="ListPages"/> that has become small, as one listpack.</summary>
internal static unsafe class ListConversion
{
    /// <summary>What lies in more pages is not looked at: two or three are usual.</summary>
    internal const int PagesMax = 4;

    /// <summary>Bytes of the list as one listpack, or 0 if these were more than a maximum.</summary>
    internal static int ListpackSize(in PageTree tree, int bytesMax)
    {
        TreeNode* root = tree.Root;
        if (root->Height != 1 || root->Count > PagesMax) return 0;
        long size = Listpack.EmptySize;
        for (int place = 0; place < root->Count; place++)
        {
            var page = (TreePage*)TreeNode.Children(root)[place];
            if (!ListPage.IsPacked(page)) return 0;
            size += page->Used - Listpack.EmptySize;
        }
        return size <= bytesMax ? (int)size : 0;
    }

    /// <summary>Writes the list as one listpack.</summary>
    /// <param name="tree">The list.</param>
    /// <param name="listpack">Room for <see cref="ListpackSize"/> bytes, which are not 0.</param>
    internal static void CopyToListpack(in PageTree tree, Span<byte> listpack)
    {
        fixed (byte* data = listpack)
        {
            Listpack.Initialize(data);
            var editor = new ListpackEditor(data, listpack.Length);
            for (int place = 0; place < tree.Root->Count; place++)
            {
                var page = (TreePage*)TreeNode.Children(tree.Root)[place];
                var reader = new ListpackReader(ListPage.Pack(page));
                ReadOnlySpan<byte> entries = reader.Entries(Listpack.HeaderSize, reader.End);
                editor.InsertEntries(editor.Reader.End, entries, page->Count);
            }
        }
    }
}
