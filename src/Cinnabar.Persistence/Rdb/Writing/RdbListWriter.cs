using Cinnabar.Keyspace.Dumps;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>Writes lists: count and pages (each a container and a string), or count and elements.</summary>
internal static class RdbListWriter
{
    private const uint PlainContainer = 1;
    private const uint PackedContainer = 2;

    /// <summary>Writes a list page by page, as <see cref="RdbType.ListQuicklist2"/> has it.</summary>
    internal static void WritePages(RdbOutput output, EntryView entry)
    {
        if (entry.Encoding == KeyEncoding.Listpack)
        {
            output.WriteLength(1);
            output.WriteLength(PackedContainer);
            output.WriteString(StoredForm.Listpack(entry));
            return;
        }

        ListPages list = StoredForm.List(entry);
        output.WriteLength((ulong)list.PageCount);
        ListPageCursor pages = list.Pages();
        while (pages.MoveNext())
        {
            output.WriteLength(pages.IsPlain ? PlainContainer : PackedContainer);
            if (pages.IsSqueezed)
                output.WriteCompressed(pages.Bytes, pages.ExpandedSize);
            else
                output.WriteString(pages.Bytes);
        }
    }

    /// <summary>Writes a list element by element, as <see cref="RdbType.List"/> has it.</summary>
    internal static void WriteElements(RdbOutput output, EntryView entry)
    {
        output.WriteLength((ulong)entry.List.Count);
        ListCursor cursor = entry.List.CursorAt(0);
        do
        {
            ListpackValue element = cursor.Current;
            if (element.IsInteger)
                output.WriteInteger(element.Integer);
            else
                output.WriteString(element.Text);
        }
        while (cursor.MoveNext());
    }
}
