// A table of a listpack's entries, for a command that looks for many members in one listpack: SINTER of two
// sets of a hundred members each would walk a hundred entries a hundred times.
//
//   slots   512 positions of entries, 0: none; an entry is in the slot that its hash names, or behind it
//
// The table belongs to one command: it is built in memory of the caller in one walk (some ns an entry), and
// is valid until the listpack changes. Eight questions are worth it; a single one is not (ListpackReader).
//
// A text that spells an integer is the integer, as in ListpackReader.Find. Texts whose SampledHash is the
// same stand in one row of slots, and a question walks the row. That is no worse than to walk all entries.
using Cinnabar.Resp;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Structures.Listpacks;

// SAFETY: the listpack is sound and does not change while the table is used; a slot holds 0 or the position
// of an entry, which is below 65,536.
/// <summary>A table of the entries of a small listpack; valid until that is changed or moved.</summary>
public readonly unsafe ref struct ListpackIndex
{
    /// <summary>How many slots the caller gives.</summary>
    public const int SlotCount = 512;

    private const int EntryCountMax = SlotCount / 2;
    private const int QuestionCountMin = 8;
    private const int HashShift = 64 - 9;
    private const ulong Factor = 0x9E37_79B9_7F4A_7C15;
    private readonly byte* _data;
    private readonly Span<ushort> _slots;

    /// <param name="listpack">A sound listpack for which the table <see cref="IsWorth"/> it.</param>
    /// <param name="slots"><see cref="SlotCount"/> slots, which <see cref="Build"/> has filled or will
    /// fill.</param>
    public ListpackIndex(ListpackReader listpack, Span<ushort> slots)
    {
        Debug.Assert(slots.Length == SlotCount, "another number of slots");
        _data = listpack.Address;
        _slots = slots;
    }

    /// <summary>Whether so many questions are answered sooner with a table than without.</summary>
    /// <param name="listpack">What is asked.</param>
    /// <param name="stride">1: every entry is a member; 2: every second one, and so on.</param>
    /// <param name="questionCount">How many questions there are about.</param>
    public static bool IsWorth(ListpackReader listpack, int stride, long questionCount)
    {
        if (questionCount < QuestionCountMin || listpack.Size > ushort.MaxValue) return false;
        int count = listpack.Count / stride;
        return count is >= QuestionCountMin and <= EntryCountMax;
    }

    /// <summary>Fills the slots.</summary>
    /// <param name="stride">1: every entry is a member; 2: every second one, and so on.</param>
    public void Build(int stride)
    {
        Debug.Assert(IsWorth(new ListpackReader(_data), stride, QuestionCountMin), "no table for this");
        _slots.Clear();
        byte* end = _data + new ListpackReader(_data).End;
        for (byte* entry = _data + Listpack.HeaderSize; entry < end;)
        {
            uint slot = TryRead(entry, out long integer) ? SlotOf(integer)
                : SlotOf(ListpackFormat.ReadText(entry));
            while (_slots[(int)slot] != 0) slot = Following(slot);
            _slots[(int)slot] = (ushort)(entry - _data);
            for (int left = stride; left > 0; left--) entry = ListpackFormat.Skip(entry);
        }
    }

    /// <summary>Finds a text, or the integer that it is.</summary>
    /// <returns>The entry's position; 0: there is none.</returns>
    public int Find(ReadOnlySpan<byte> text)
    {
        if (RedisNumber.TryParseInt64(text, out long integer)) return Find(integer);
        uint slot = SlotOf(text);
        int position;
        while ((position = _slots[(int)slot]) != 0)
        {
            byte* entry = _data + position;
            if (!ListpackFormat.IsInteger(*entry) && ListpackFormat.ReadText(entry).SequenceEqual(text))
                return position;
            slot = Following(slot);
        }

        return 0;
    }

    /// <summary>Finds an integer.</summary>
    /// <returns>The entry's position; 0: there is none.</returns>
    public int Find(long integer)
    {
        uint slot = SlotOf(integer);
        int position;
        while ((position = _slots[(int)slot]) != 0)
        {
            if (TryRead(_data + position, out long other) && other == integer) return position;
            slot = Following(slot);
        }

        return 0;
    }

    private static bool TryRead(byte* entry, out long integer)
    {
        if (!ListpackFormat.IsInteger(*entry))
            return RedisNumber.TryParseInt64(ListpackFormat.ReadText(entry), out integer);
        integer = ListpackFormat.ReadInteger(entry);
        return true;
    }

    private static uint Following(uint slot) => (slot + 1) % SlotCount;

    private static uint SlotOf(long integer) => (uint)((ulong)integer * Factor >> HashShift);

    private static uint SlotOf(ReadOnlySpan<byte> text) => (uint)(SampledHash.Of(text) >> HashShift);
}
