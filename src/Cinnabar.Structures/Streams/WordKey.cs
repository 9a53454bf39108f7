using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Streams;

// SAFETY: the key has TRecord.KeyWords words and outlives this; so have separators and records.
/// <summary>A key to be sought in a <see cref="WordTree{TRecord}"/>.</summary>
internal readonly unsafe struct WordKey<TRecord>(ulong* key) : ITreeSeeker, ITreeKey
    where TRecord : struct, IWordRecord
{
    public int PlaceIn(TreeNode* node) => TreeNode.HalveTo(node, in this);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Reaches(TreeNode* node, int place) =>
        Compare((ulong*)TreeNode.Separator(node, place), key) <= 0;

    /// <summary>Below 0 where the left key is the lower.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int Compare(ulong* left, ulong* right)
    {
        for (int word = 0; word < TRecord.KeyWords; word++)
        {
            if (left[word] != right[word]) return left[word] < right[word] ? -1 : 1;
        }
        return 0;
    }

    /// <summary>How many records of a page have a lower key.</summary>
    internal static int CountBelow(TreePage* page, ulong* key)
    {
        var records = (ulong*)TreePage.Data(page);
        int low = 0;
        int count = page->Count;
        while (count > 0)
        {
            int half = count >> 1;
            bool isBelow = Compare(records + (low + half) * TRecord.Words, key) < 0;
            low = isBelow ? low + half + 1 : low;
            count = isBelow ? count - half - 1 : half;
        }
        return low;
    }
}
