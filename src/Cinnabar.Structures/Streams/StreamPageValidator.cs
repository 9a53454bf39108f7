// What comes from outside (RESTORE, an RDB file, a master) is walked once here, with every step checked, so
// that no other code has to. A page passes only if its listpack is sound and its elements are a head and
// entries as StreamPage describes, with IDs that rise from the page's own, and with the counts in its head.
using Cinnabar.Structures.Listpacks;

namespace Cinnabar.Structures.Streams;

// SAFETY: reads elements of a listpack that ListpackValidator found sound, and none at or behind its end.
/// <summary>Checks pages of streams.</summary>
public static unsafe class StreamPageValidator
{
    private const int FlagsMax = StreamPage.DeletedFlag | StreamPage.PageFieldsFlag;

    /// <summary>Whether a listpack is a sound page of a stream, with at least one live entry.</summary>
    /// <param name="pack">Any bytes.</param>
    /// <param name="baseId">The ID that the page was made for.</param>
    public static bool IsSound(ReadOnlySpan<byte> pack, StreamId baseId)
    {
        if (!ListpackValidator.IsSound(pack)) return false;
        fixed (byte* data = pack)
        {
            byte* at = data + Listpack.HeaderSize;
            byte* end = data + pack.Length - 1;
            if (!TryInteger(ref at, end, out long live) || live < 1) return false;
            if (!TryInteger(ref at, end, out long deleted) || deleted < 0) return false;
            if (!TryInteger(ref at, end, out long fieldCount) || !IsCount(fieldCount)) return false;
            if (!TrySkip(ref at, end, fieldCount)) return false;
            if (!TryInteger(ref at, end, out long zero) || zero != 0) return false;
            bool isFirst = true;
            StreamId last = baseId;
            while (at < end)
            {
                if (*at > FlagsMax) return false;
                if ((*at & StreamPage.DeletedFlag) != 0)
                    deleted--;
                else
                    live--;
                if (!TryEntry(ref at, end, fieldCount, baseId, out StreamId id)) return false;
                if (isFirst ? id < last : id <= last) return false;
                isFirst = false;
                last = id;
            }
            return live == 0 && deleted == 0;
        }
    }

    private static bool TryEntry(ref byte* at, byte* end, long fieldCount, StreamId baseId, out StreamId id)
    {
        id = default;
        bool hasPageFields = (*at & StreamPage.PageFieldsFlag) != 0;
        if (!TrySkip(ref at, end, 1)) return false;
        if (!TryInteger(ref at, end, out long ms)) return false;
        if (!TryInteger(ref at, end, out long sequence)) return false;
        id = new StreamId(baseId.Ms + (ulong)ms, baseId.Sequence + (ulong)sequence);
        long count = StreamPage.ShortHeadCount + fieldCount;
        long texts = fieldCount;
        if (!hasPageFields)
        {
            if (!TryInteger(ref at, end, out texts) || !IsCount(texts)) return false;
            texts *= 2;
            count = StreamPage.ShortHeadCount + 1 + texts;
        }
        if (!TrySkip(ref at, end, texts)) return false;
        return TryInteger(ref at, end, out long told) && told == count;
    }

    private static bool IsCount(long count) => count is > 0 and <= int.MaxValue / 2;

    private static bool TryInteger(ref byte* at, byte* end, out long value)
    {
        value = 0;
        if (at >= end || !ListpackFormat.IsInteger(*at)) return false;
        value = ListpackFormat.ReadInteger(at);
        at = ListpackFormat.Skip(at);
        return true;
    }

    private static bool TrySkip(ref byte* at, byte* end, long count)
    {
        for (; count > 0; count--)
        {
            if (at >= end) return false;
            at = ListpackFormat.Skip(at);
        }
        return true;
    }
}
