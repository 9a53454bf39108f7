// A block of records of one chain of the deadline index:
//
//   0        8            10               12      13         14     16
//   +--------+------------+----------------+-------+----------+------+----------- - -
//   | Next   | DeadlineHi | DatabaseHi     | Count | Capacity | none | records
//   +--------+------------+----------------+-------+----------+------+----------- - -
//
//   record, 16 bytes:  | hash, 8 | deadline bits 0-47 and database bits 0-15, 8 |
//
// The upper 16 bits of deadline and database stand once, in the header; a record with others starts a new
// chunk. In practice they are zero until the year 10889 and below 65,536 databases. Capacities are 1, 3, 7
// and 15, so that a chunk is 32, 64, 128 or 256 bytes and a slot with one record does not pay for fifteen.

namespace Cinnabar.Structures.Deadlines;

[StructLayout(LayoutKind.Sequential)]
internal unsafe struct DeadlineChunk
{
    internal const int HeaderSize = 16;
    internal const int RecordSize = 16;
    internal const int CapacityMax = 15;

    internal DeadlineChunk* Next;
    internal ushort DeadlineHigh;
    internal ushort DatabaseHigh;
    internal byte Count;
    internal byte Capacity;

    internal static nuint SizeFor(int capacity) => (nuint)(HeaderSize + capacity * RecordSize);

    internal static ushort HighOf(long deadlineMs) => (ushort)(deadlineMs >> 48);

    internal static ulong LowOf(long deadlineMs, int database) =>
        ((ulong)deadlineMs << 16) | (ushort)database;

    // SAFETY: `chunk` has Capacity records behind its header; index < Capacity is the caller's duty.
    internal static ulong* RecordAt(DeadlineChunk* chunk, int index) =>
        (ulong*)((byte*)chunk + HeaderSize + index * RecordSize);

    internal static DeadlineRecord Read(DeadlineChunk* chunk, int index)
    {
        ulong* record = RecordAt(chunk, index);
        long deadlineMs = ((long)chunk->DeadlineHigh << 48) | (long)(record[1] >> 16);
        int database = (chunk->DatabaseHigh << 16) | (int)(record[1] & 0xFFFF);
        return new DeadlineRecord(deadlineMs, database, record[0]);
    }
}
