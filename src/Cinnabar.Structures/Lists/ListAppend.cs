using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Lists;

// SAFETY: pages made here have no other user until they are in the tree.
/// <summary>Adds the entries of a listpack to a <see cref="ListPages"/> as whole pages.</summary>
internal static unsafe class ListAppend
{
    /// <summary>As <see cref="ListPages.AppendListpack"/>.</summary>
    internal static void Run(
        TreeSource source, ref PageTree tree, in ListPageLimits limits, byte* listpack)
    {
        var reader = new ListpackReader(listpack);
        int from = Listpack.HeaderSize;
        if (reader.Size <= limits.BytesMax && reader.Count <= limits.CountMax)
        {
            // A page that another server has filled: in two, one of them would be tiny.
            if (reader.IsEmpty) return;
            Add(source, ref tree, in limits, reader.Entries(from, reader.End), reader.Count);
            return;
        }
        while (from < reader.End)
        {
            int to = from;
            int count = 0;
            while (to < reader.End && count < limits.CountMax)
            {
                int next = reader.Behind(to);
                if (Listpack.EmptySize + next - from > limits.PageBytesMax) break;
                to = next;
                count++;
            }
            if (count == 0)
            {
                // Only a text can be larger than a page.
                Add(source, ref tree, in limits, ListPage.NewPlain(source, tree.Home, reader[from].Text));
                to = reader.Behind(from);
            }
            else
            {
                Add(source, ref tree, in limits, reader.Entries(from, to), count);
            }
            from = to;
        }
    }

    private static void Add(TreeSource source, ref PageTree tree, in ListPageLimits limits,
        ReadOnlySpan<byte> entries, int count) =>
        Add(source, ref tree, in limits, ListPage.NewPart(source, tree.Home, entries, count));

    private static void Add(
        TreeSource source, ref PageTree tree, in ListPageLimits limits, TreePage* page)
    {
        tree.Append(source, page, null);
        ListSqueeze.Behind(source, ref tree, in limits, ListEnd.Tail);
    }
}
