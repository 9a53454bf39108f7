// An entry: one contiguous block in its stripe's arena, found through the table only, so it may move.
//
//   0     1       2          4         5              8          8/16            then            then
//   +-----+-------+----------+---------+--------------+----------+---------------+---------------+---------+
//   |t|enc| flags | value    | key     | access clock | deadline | key length    | key           | value   |
//   |     |       | length   | length  | (24 bits, s) | (if any) | (if >= 255)   |               |         |
//   +-----+-------+----------+---------+--------------+----------+---------------+---------------+---------+
//
// The value is the bytes themselves (up to 65,535), an unaligned 64-bit integer, or the address of a block
// tree. Eight bytes of header is what keeps the overhead per key under 26 bytes; everything rarer (a
// deadline, a long key, a long value) pays for itself. The block's size is always the arena's class of
// Size(entry), so it need not be stored.
//
// Flags: bit 0 a deadline, bit 1 a long key, bit 2 the mark that tells entries which a snapshot has to save
// from the others (Snapshots/KeyspaceSnapshot), bits 4-7 the mark of the last compaction of the index of
// deadlines that met a record of this deadline (Reaper); 0 where none did.
//
// Limits: keys below 2 GiB, inline values below 64 KiB.

using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace.Entries;

/// <summary>The byte layout of an entry, and what the table needs to know of it.</summary>
public readonly unsafe struct KeyEntry : ITableEntry
{
    internal const byte HasDeadlineFlag = 1;
    internal const byte HasLongKeyFlag = 2;
    internal const byte SnapshotMarkFlag = 4;
    internal const int CompactionMarkMax = 15;
    internal const int HeaderSize = 8;
    internal const int InlineValueLengthMax = ushort.MaxValue;
    private const byte LongKeyMark = 255;

    /// <inheritdoc/>
    public static ulong Hash(byte* entry, in HashSeed seed) =>
        SipHash.Hash(KeySpan(entry), in seed);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Matches(byte* entry, ReadOnlySpan<byte> key)
    {
        ReadOnlySpan<byte> own = KeySpan(entry);
        // Most keys have 8 to 16 bytes: two words, which may overlap, and no call.
        if (own.Length != key.Length || (uint)(key.Length - sizeof(ulong)) > sizeof(ulong))
            return own.SequenceEqual(key);
        ref byte mine = ref MemoryMarshal.GetReference(own);
        ref byte theirs = ref MemoryMarshal.GetReference(key);
        ulong first = Unsafe.ReadUnaligned<ulong>(ref mine) ^ Unsafe.ReadUnaligned<ulong>(ref theirs);
        nint last = key.Length - sizeof(ulong);
        return (first | (Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref mine, last))
            ^ Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref theirs, last)))) == 0;
    }

    // SAFETY: all below: `entry` is a live block of the stripe whose lock the caller holds, laid out by
    // Initialize.

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> KeySpan(byte* entry)
    {
        int length = entry[4];
        byte* key = entry + HeaderSize + ((entry[1] & HasDeadlineFlag) << 3);
        if (length == LongKeyMark)
        {
            length = Unsafe.ReadUnaligned<int>(key);
            key += sizeof(int);
        }

        return MemoryMarshal.CreateReadOnlySpan(ref *key, length);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* Value(byte* entry)
    {
        byte* key = entry + HeaderSize + ((entry[1] & HasDeadlineFlag) << 3);
        int length = entry[4];
        return length == LongKeyMark ? key + sizeof(int) + Unsafe.ReadUnaligned<int>(key) : key + length;
    }

    internal static KeyType Type(byte* entry) => (KeyType)(entry[0] & 15);

    internal static KeyEncoding Encoding(byte* entry) => (KeyEncoding)(entry[0] >> 4);

    internal static bool HasDeadline(byte* entry) => (entry[1] & HasDeadlineFlag) != 0;

    internal static int CompactionMark(byte* entry) => entry[1] >> 4;

    internal static int SnapshotMark(byte* entry) => entry[1] & SnapshotMarkFlag;

    internal static void SetSnapshotMark(byte* entry, int mark)
    {
        Debug.Assert(mark is 0 or SnapshotMarkFlag, "a mark has one bit");
        entry[1] = (byte)((entry[1] & ~SnapshotMarkFlag) | mark);
    }

    internal static void SetCompactionMark(byte* entry, int mark)
    {
        Debug.Assert(mark is >= 0 and <= CompactionMarkMax, "a mark has four bits");
        entry[1] = (byte)((entry[1] & 15) | (mark << 4));
    }

    internal static long Deadline(byte* entry)
    {
        Debug.Assert(HasDeadline(entry), "the entry has no deadline");
        return *(long*)(entry + HeaderSize);
    }

    /// <summary>Changes the deadline of an entry that has one; no record of the new one has been
    /// met.</summary>
    internal static void SetDeadline(byte* entry, long deadlineMs)
    {
        Debug.Assert(HasDeadline(entry), "the entry has no room for a deadline");
        *(long*)(entry + HeaderSize) = deadlineMs;
        SetCompactionMark(entry, 0);
    }

    internal static int InlineLength(byte* entry) => *(ushort*)(entry + 2);

    internal static void SetInlineLength(byte* entry, int length)
    {
        Debug.Assert(length is >= 0 and <= InlineValueLengthMax, "the value is too long for an entry");
        *(ushort*)(entry + 2) = (ushort)length;
    }

    internal static void SetEncoding(byte* entry, KeyEncoding encoding) =>
        entry[0] = (byte)((entry[0] & 15) | ((int)encoding << 4));

    internal static uint AccessClock(byte* entry) => *(uint*)(entry + 4) >> 8;

    internal static void SetAccessClock(byte* entry, uint clock) =>
        *(uint*)(entry + 4) = entry[4] | (clock << 8);

    /// <summary>Bytes that the value takes inside the entry.</summary>
    internal static int PayloadSize(byte* entry) => Encoding(entry) switch
    {
        KeyEncoding.Int or KeyEncoding.Blocks => sizeof(long),
        _ => InlineLength(entry),
    };

    /// <summary>Bytes of an entry with such a key and payload.</summary>
    internal static nuint SizeOf(int keyLength, int payloadSize, bool hasDeadline) =>
        (nuint)HeaderSize + (hasDeadline ? 8u : 0u) + (keyLength >= LongKeyMark ? 4u : 0u)
        + (nuint)keyLength + (nuint)payloadSize;

    internal static nuint Size(byte* entry) =>
        (nuint)(Value(entry) - entry) + (nuint)PayloadSize(entry);

    /// <summary>Writes header, deadline (negative: none) and key; returns the place of the value. An entry
    /// for a table is made by <see cref="Stripe.NewEntry"/>, which marks it.</summary>
    internal static byte* Initialize(byte* entry, KeyType type, KeyEncoding encoding, ReadOnlySpan<byte> key,
        long deadlineMs)
    {
        bool hasDeadline = deadlineMs >= 0;
        bool hasLongKey = key.Length >= LongKeyMark;
        *(ulong*)entry = 0;
        entry[0] = (byte)((int)type | ((int)encoding << 4));
        entry[1] = (byte)((hasDeadline ? HasDeadlineFlag : 0) | (hasLongKey ? HasLongKeyFlag : 0));
        entry[4] = hasLongKey ? LongKeyMark : (byte)key.Length;
        byte* place = entry + HeaderSize;
        if (hasDeadline)
        {
            *(long*)place = deadlineMs;
            place += sizeof(long);
        }

        if (hasLongKey)
        {
            Unsafe.WriteUnaligned(place, key.Length);
            place += sizeof(int);
        }

        key.CopyTo(new Span<byte>(place, key.Length));
        return place + key.Length;
    }
}
