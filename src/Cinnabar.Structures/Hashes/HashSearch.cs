using System.Runtime.Intrinsics;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

// SAFETY: pages are those of a HashPages that the caller's lock or reference keeps alive.
/// <summary>Searches for a member in its page.</summary>
internal static unsafe class HashSearch
{
    // The columns of some 80 members. Tags, offset and record come one after the other from memory; so the
    // offsets are fetched with the tags.
    internal const int ColumnLines = 4;

    /// <summary>The index of a member with this hash, or -1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int IndexOf(TreePage* page, ReadOnlySpan<byte> member, ulong hash)
    {
        RecordPage<HashRecord>.PrefetchColumns(page, ColumnLines);
        return IndexOf(page, member, (byte)hash);
    }

    /// <summary>The index of a member with this tag, or -1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int IndexOf(TreePage* page, ReadOnlySpan<byte> member, byte tag)
    {
        byte* tags = RecordPage<HashRecord>.Keys(page);
        Vector256<byte> wanted = Vector256.Create(tag);
        int count = page->Count;
        for (int start = 0; start < count; start += Vector256<byte>.Count)
        {
            for (uint found = Found(tags, start, count, wanted); found != 0; found &= found - 1)
            {
                int index = start + BitOperations.TrailingZeroCount(found);
                if (HashRecord.Matches(RecordPage<HashRecord>.Record(page, index), member)) return index;
            }
        }
        return -1;
    }

    /// <summary>Which of the 32 tags from an index on are the wanted one, a bit each.</summary>
    // SAFETY: a load of tags begins below Count and may reach up to 31 bytes behind the tags; tags,
    // offsets and records, at least 4 bytes a member, or else the smallest capacity reach that far.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Found(byte* tags, int start, int count, Vector256<byte> wanted)
    {
        uint found = Vector256.Equals(Vector256.Load(tags + start), wanted).ExtractMostSignificantBits();
        int left = count - start;
        return left < Vector256<byte>.Count ? found & ((1u << left) - 1) : found;
    }

    /// <summary>Whether this member's record has an index, which may be any number.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsAt(TreePage* page, int index, ReadOnlySpan<byte> member) =>
        (uint)index < (uint)page->Count
        && HashRecord.Matches(RecordPage<HashRecord>.Record(page, index), member);
}
