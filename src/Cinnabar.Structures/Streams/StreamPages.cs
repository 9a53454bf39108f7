using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: what becomes a page has passed StreamPageValidator.
/// <summary>Pages of streams from outside.</summary>
public static unsafe class StreamPages
{
    /// <summary>Adds a page behind the last one, if it is sound and its IDs are above all others. The
    /// stream's highest ID and its number of entries added follow.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="source">The server's source of trees; the same for every call.</param>
    /// <param name="baseId">The ID that the page was made for.</param>
    /// <param name="pack">Any bytes.</param>
    /// <returns>Whether it was added.</returns>
    public static bool TryAppend(
        ref StreamTree stream, TreeSource source, StreamId baseId, ReadOnlySpan<byte> pack)
    {
        if (!StreamPageValidator.IsSound(pack, baseId)) return false;
        StreamRoot* root = stream.Own(source);
        TreePage* page = source.NewPage(root->Entries.Home, StreamPage.HeadSize + pack.Length);
        var words = (ulong*)TreePage.Data(page);
        (words[0], words[1]) = (baseId.Ms, baseId.Sequence);
        pack.CopyTo(new Span<byte>(StreamPage.Pack(page), pack.Length));
        page->Used = StreamPage.HeadSize + pack.Length;
        page->Count = (int)ListpackFormat.ReadInteger(StreamPage.Head(page));
        StreamPage.Read(page, StreamPage.First(page), out StreamEntry first);
        bool isBehind = root->Entries.Count == 0 ? !first.Id.IsZero : baseId > root->Last;
        if (!isBehind)
        {
            source.ReleasePage(page);
            return false;
        }
        StreamId last = StreamPage.LastId(page);
        bool isFirst = root->Entries.Count == 0;
        root->Entries.Append(source, page, TreePage.Data(page));
        root->Last = last;
        root->EntriesAdded += page->Count;
        if (isFirst) StreamTree.FindFirst(root);
        return true;
    }
}
