using System.Runtime.Intrinsics;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: pages are reached through a tree that the caller's lock or reference keeps alive.
/// <summary>The hashes of a page's members, which it does not store.</summary>
internal static unsafe class PageHashes
{
    /// <summary>The hash of one member.</summary>
    public static ulong Of(TreeSource source, TreePage* page, int index) =>
        SipHash.Hash(HashRecord.Member(RecordPage<HashRecord>.Record(page, index)), source.Seed);

    /// <summary>The hashes of all members in order.</summary>
    /// <param name="source">The source of the page.</param>
    /// <param name="page">The page.</param>
    /// <param name="hashes">Receives the hashes; as long as the page has members.</param>
    /// <param name="indexes">Receives which members they are of.</param>
    public static void Sort(TreeSource source, TreePage* page, Span<ulong> hashes, Span<int> indexes)
    {
        Fill(source, page, hashes);
        for (int index = 0; index < indexes.Length; index++)
            indexes[index] = index;
        HashSort.Sort(hashes, indexes);
    }

    /// <summary>The hashes from one on, in no order.</summary>
    /// <param name="source">The source of the page.</param>
    /// <param name="page">The page.</param>
    /// <param name="first">The least that is wanted.</param>
    /// <param name="hashes">Receives them; has room for all of the page.</param>
    /// <param name="indexes">Receives which members they are of.</param>
    /// <returns>How many there are.</returns>
    public static int From(
        TreeSource source, TreePage* page, ulong first, Span<ulong> hashes, Span<int> indexes)
    {
        int count = page->Count;
        Fill(source, page, hashes[..count]);
        int kept = 0;
        for (int index = 0; index < count; index++)
        {
            // Without a branch: which ones are wanted cannot be foreseen.
            hashes[kept] = hashes[index];
            indexes[kept] = index;
            kept += hashes[index] >= first ? 1 : 0;
        }

        return kept;
    }

    // Neighbours are often of one length: four of these take little longer than one.
    private static void Fill(TreeSource source, TreePage* page, Span<ulong> hashes)
    {
        byte** members = stackalloc byte*[SipHash.LaneCount];
        int index = 0;
        while (index + SipHash.LaneCount <= hashes.Length && Vector256.IsHardwareAccelerated)
        {
            int length = -1;
            int same = 0;
            for (; same < SipHash.LaneCount; same++)
            {
                byte* record = RecordPage<HashRecord>.Record(page, index + same);
                ReadOnlySpan<byte> member = HashRecord.Member(record);
                if (same > 0 && member.Length != length)
                    break;
                length = member.Length;
                members[same] = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(member));
            }

            if (same == SipHash.LaneCount)
            {
                fixed (ulong* target = &hashes[index])
                    SipHash.HashLanes(members, length, source.Seed, target);
                index += same;
                continue;
            }

            for (int lane = 0; lane < same; lane++, index++)
                hashes[index] = SipHash.Hash(new ReadOnlySpan<byte>(members[lane], length), source.Seed);
        }

        for (; index < hashes.Length; index++)
            hashes[index] = Of(source, page, index);
    }
}
