// The journal of a server, between the executions that write it and the one thread at a time that drains it:
// a ring of bytes in native memory, to which any number of threads append records.
//
//   position   head                                   tail
//      │        ▼                                      ▼
//      ├────────┬────────┬────────┬ ─ ─ ─ ─ ┬──────────┬──────────
//      │  free  │ record │ record │ claimed │  record  │  free
//      └────────┴────────┴────────┴ ─ ─ ─ ─ ┴──────────┴──────────
//                 published          not yet  published
//
//   record: ┌───────────┬──────────────────────────────────────────┬ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─
//           │ header 24 │ commands as a client would send them     │ to a multiple of 32
//           └───────────┴──────────────────────────────────────────┴ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─
//
// A position counts bytes since the ring was made, and never goes back; a place in the ring is a position
// modulo its size. A producer claims room by adding the record's length to the tail, writes the record,
// and publishes it. An execution does that while it holds its stripes, so that two records about one key
// have the order of its changes. The end of a record is the sequence number of its commit.
//
// * Published. Beside the ring is one word for each 32 bytes of it. Publishing writes the record's end into
//   the word of its start. What a word had before is a position of an earlier lap, which is lower than the
//   start: so nothing need be cleared, and no client can write bytes that look like a published record.
// * The end. A record does not wrap. Room that crosses the ring's end is published as padding as a whole, and
//   the producer claims again: less than a record's length is lost in each lap.
// * Full. A producer that has claimed room which is not free yet drains the ring itself, or spins while
//   another thread does. That ends: the record that is first of those not published has only published ones
//   before it, and draining these makes room for it. Draining needs no stripe.
// * Large. A record of more than a quarter of the ring is memory of its own, whose address the ring has.
//
// Limits: the drain stops at a record whose producer has lost its processor between claim and publication, a
// few hundred nanoseconds of work. The idea is that of Aeron's log buffers, the words beside the ring that of
// the LMAX Disruptor.

using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Persistence.Journal;

/// <summary>A bounded queue of records: many producers, one consumer at a time.</summary>
public sealed unsafe class JournalRing : IJournal, IDisposable
{
    /// <summary>Bytes of a server's ring: a share of a core's cache of the second level.</summary>
    public const int DefaultCapacity = 1 << 18;

    private const int Granule = 32;
    private const int GranuleShift = 5;
    private const int CacheLine = 128;
    private const int CapacityMin = 1024;

    private readonly byte* _memory;
    private readonly byte* _data;
    private readonly long* _published;
    private readonly long* _tail;
    private readonly long* _head;
    private readonly long _mask;
    private long _readPosition;

    /// <summary>Makes a ring.</summary>
    /// <param name="capacity">Its bytes, a power of two.</param>
    public JournalRing(int capacity = DefaultCapacity)
    {
        Debug.Assert(capacity >= CapacityMin && BitOperations.IsPow2(capacity), "no size of a ring");
        _mask = capacity - 1;
        long words = capacity / Granule * sizeof(long);
        nuint size = (nuint)(capacity + words + (2 * CacheLine));
        // SAFETY: one block: the bytes, the words of publication, and a cache line for each of tail and head.
        _memory = (byte*)NativeMemory.AlignedAlloc(size, CacheLine);
        NativeMemory.Clear(_memory, size);
        _data = _memory;
        _published = (long*)(_memory + capacity);
        _tail = (long*)(_memory + capacity + words);
        _head = (long*)(_memory + capacity + words + CacheLine);
    }

    /// <summary>What drains the ring when it is full; set before the first record.</summary>
    public IJournalReader? Reader { get; set; }

    /// <summary>Bytes of the ring.</summary>
    public long Capacity => _mask + 1;

    /// <summary>The position behind the last record that has been claimed.</summary>
    // ORDER: a caller that has published records, or holds the stripe under which another has, sees a tail
    // behind them: the addition to it came before.
    public long Tail => Volatile.Read(ref *_tail);

    /// <summary>The position up to which records have been taken.</summary>
    public long Head => Volatile.Read(ref *_head);

    /// <summary>Records of more bytes than these are memory of their own.</summary>
    public long InlineBytesMax => Capacity / 4;

    /// <summary>The time that records are given, Unix time in seconds: that of the last turn of a
    /// loop.</summary>
    public long NowSeconds
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public JournalClaim Claim(in JournalUnit unit)
    {
        Debug.Assert(unit.Length > 0, "a record has commands");
        JournalClaim claim = unit.Length <= InlineBytesMax
            ? ClaimInline(unit.Length) : ClaimLarge(unit.Length);
        RecordHeader* header = HeaderAt(claim.Token);
        (header->FirstDatabase, header->LastDatabase) = (unit.Database, unit.DatabaseAfter);
        header->IsTransaction = unit.IsTransaction;
        header->Audience = JournalAudience.All;
        header->Seconds = NowSeconds;
        return claim;
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Publish(in JournalClaim claim)
    {
        Debug.Assert(HeaderAt(claim.Token)->Kind is RecordKind.Commands or RecordKind.LargeCommands,
            "not a claim");
        Publish(claim.Token, claim.Position);
    }

    /// <summary>Appends a record.</summary>
    /// <param name="database">The database that all its commands are for.</param>
    /// <param name="isTransaction">Whether all its commands are executed or none.</param>
    /// <param name="commands">The commands as a client would send them.</param>
    /// <returns>The position behind the record.</returns>
    public long Append(int database, bool isTransaction, ReadOnlySpan<byte> commands)
    {
        JournalClaim claim = Claim(new JournalUnit(database, database, isTransaction, commands.Length));
        // SAFETY: the claim has room for as many bytes.
        commands.CopyTo(new Span<byte>(claim.Data, commands.Length));
        Publish(in claim);
        return claim.Position;
    }

    /// <inheritdoc/>
    public void AppendFor(JournalAudience audience, ReadOnlySpan<byte> commands)
    {
        JournalClaim claim = Claim(new JournalUnit(0, 0, IsTransaction: false, commands.Length));
        HeaderAt(claim.Token)->Audience = audience;
        // SAFETY: the claim has room for as many bytes.
        commands.CopyTo(new Span<byte>(claim.Data, commands.Length));
        Publish(in claim);
    }

    /// <summary>Appends the place where the journal goes on in another file.</summary>
    /// <returns>The position behind it.</returns>
    public long AppendSwitch()
    {
        long start = ClaimRoom(0, out long end);
        HeaderAt(start)->Kind = RecordKind.Switch;
        Publish(start, end);
        return end;
    }

    /// <summary>Looks at the next record; by one thread at a time.</summary>
    /// <returns>False where the next one is not published.</returns>
    internal bool TryRead(out JournalRecord record)
    {
        while (true)
        {
            long start = _readPosition;
            // ORDER: the acquiring read of the word sees all that its producer wrote before it published.
            long end = Volatile.Read(ref _published[(start & _mask) >> GranuleShift]);
            record = new JournalRecord(HeaderAt(start), end);
            if (end <= start)
                return false;
            if (record.Kind != RecordKind.Padding)
                return true;
            _readPosition = end;
        }
    }

    /// <summary>Goes on behind a record. Its room stays taken until <see cref="ReleaseRead"/>.</summary>
    internal void Advance(in JournalRecord record)
    {
        Debug.Assert(record.End > _readPosition, "records are taken in order");
        record.Free();
        _readPosition = record.End;
    }

    /// <summary>Gives the room of all records that were taken back to the producers.</summary>
    // ORDER: the releasing store comes after the last read of the records' bytes.
    internal void ReleaseRead() => Volatile.Write(ref *_head, _readPosition);

    /// <inheritdoc/>
    public void Dispose()
    {
        while (TryRead(out JournalRecord record))
            Advance(in record);
        NativeMemory.AlignedFree(_memory);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private JournalClaim ClaimInline(long byteCount)
    {
        long start = ClaimRoom(byteCount, out long end);
        HeaderAt(start)->Kind = RecordKind.Commands;
        HeaderAt(start)->ByteCount = (int)byteCount;
        return new JournalClaim(BytesAt(start), end, (nint)start);
    }

    // Not inlined: large values are rare. The memory is allocated before the claim: a claim that is never
    // published would stop the drain for ever.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private JournalClaim ClaimLarge(long byteCount)
    {
        byte* memory = (byte*)NativeMemory.Alloc((nuint)byteCount);
        long start = ClaimRoom(2 * sizeof(long), out long end);
        HeaderAt(start)->Kind = RecordKind.LargeCommands;
        long* reference = (long*)BytesAt(start);
        (reference[0], reference[1]) = ((long)memory, byteCount);
        return new JournalClaim(memory, end, (nint)start);
    }

    private static long LengthOf(long byteCount) => (RecordHeader.Size + byteCount + Granule - 1) & -Granule;

    /// <summary>Claims room in the ring for a header and some bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private long ClaimRoom(long byteCount, out long end)
    {
        long length = LengthOf(byteCount);
        while (true)
        {
            // ORDER: a full fence; each producer gets a range of its own. The caller holds its stripes, whose
            // next holder claims later, and so behind it.
            end = Interlocked.Add(ref *_tail, length);
            long start = end - length;
            // ORDER: the acquiring read of the head comes before the first write to the room: the consumer
            // has read what was there.
            if (end - Volatile.Read(ref *_head) > Capacity)
                WaitForRoom(end);
            if ((start & _mask) + length <= Capacity)
                return start;
            HeaderAt(start)->Kind = RecordKind.Padding;
            Publish(start, end);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WaitForRoom(long end)
    {
        var spinner = default(SpinWait);
        while (end - Volatile.Read(ref *_head) > Capacity)
        {
            if (Reader?.TryDrain() != true)
                spinner.SpinOnce(sleep1Threshold: -1);
        }
    }

    // ORDER: the releasing store comes after all writes to the record. The word belongs to the producer that
    // claimed the record's start.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Publish(long start, long end) =>
        Volatile.Write(ref _published[(start & _mask) >> GranuleShift], end);

    // SAFETY: a record begins at a multiple of 32, so that its header does not cross the end of the ring.
    private RecordHeader* HeaderAt(long position) => (RecordHeader*)(_data + (position & _mask));

    private byte* BytesAt(long position) => (byte*)(HeaderAt(position) + 1);
}
