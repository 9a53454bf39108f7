using Cinnabar.Memory;

namespace Cinnabar.Resp;

// Writes replies into chunks of native memory.
//
//     chunk  | replies before ... | Cursor -> free ...... | Limit
//
// Every method checks once whether its output fits (with a few bytes to spare, so that short headers can be
// stored as whole words) and leaves the rest to Sink.Grow. Only bulks may be split at a chunk's end. (Words
// are stored little-endian, as everywhere in this code base.)
//
// Deferred headers. The length of an array may be known only after its elements are written. Space for the
// longest header is reserved; at the end the header is written there and what follows moves down over the
// gap: within one chunk by a copy, across chunks the sink shortens the closed segment. Deferred arrays nest,
// and the inner one must end first. A mark taken within one is invalid once it has ended.
//
// Muting. CLIENT REPLY OFF and SKIP must cost the other clients nothing: instead of a check in every method,
// a muted writer writes to a DiscardSink, whose one chunk is filled over and over.

/// <summary>Writes RESP2 or RESP3 replies. A mutable struct: always by reference.</summary>
public unsafe struct ReplyWriter
{
    private const int IntegerBytesMax = 24;

    // An array of two, a cursor of up to 20 digits, an array.
    private const int ScanHeadSizeMax = 4 + 5 + 20 + 2 + ReplyHeader.SizeMax;
    private const int PieceSizeMax = 16 * 1024;
    private const ushort LineEnd = 0x0A0D;

    /// <summary>Where the next byte goes.</summary>
    public byte* Cursor;

    /// <summary>End of the chunk.</summary>
    public byte* Limit;

    /// <summary>Number of error replies written so far.</summary>
    public int ErrorCount;

    private byte* _mutedCursor;
    private byte* _mutedLimit;
    private ReplySink? _mutedSink;
    private bool _isErrorNew;

#if DEBUG
    /// <summary>Values written, less the elements that headers have announced: it grows by one with each
    /// reply.</summary>
    public long ValueCount { readonly get; private set; }
#endif

    /// <summary>A writer without a chunk; the first write asks the sink for one.</summary>
    /// <param name="sink">gives memory</param>
    /// <param name="protocol">2 or 3</param>
    public ReplyWriter(ReplySink sink, int protocol = 2)
    {
        Debug.Assert(protocol is 2 or 3, "there are two versions of the protocol");
        Sink = sink;
        Protocol = protocol;
    }

    /// <summary>Where the replies go.</summary>
    public ReplySink Sink { get; private set; }

    /// <summary>The client's protocol version: 2 or 3.</summary>
    public int Protocol { get; set; }

    /// <summary>Whether output is discarded.</summary>
    public readonly bool IsMuted => _mutedSink != null;

    /// <summary><c>+OK</c>.</summary>
    public void Ok()
    {
        byte* p = Reserve(sizeof(ulong));
        *(ulong*)p = 0x0A0D_4B4F2B;
        Cursor = p + 5;
        CountValue();
    }

    /// <summary><c>+PONG</c>.</summary>
    public void Pong()
    {
        byte* p = Reserve(sizeof(ulong));
        *(ulong*)p = 0x0A_0D47_4E4F_502B;
        Cursor = p + 7;
        CountValue();
    }

    /// <summary>A simple string; the text has no line ends.</summary>
    public void SimpleString(ReadOnlySpan<byte> text) => Line((byte)'+', text);

    /// <summary>An error. Line ends within it become spaces, those at its end are dropped.</summary>
    /// <param name="text">the whole text with its code: "ERR ..."</param>
    public void Error(ReadOnlySpan<byte> text)
    {
        BeginError();
        ErrorText(text.TrimEnd("\r\n"u8));
        EndError();
    }

    /// <summary>An error around text that came from a client.</summary>
    public void Error(ReadOnlySpan<byte> prefix, ReadOnlySpan<byte> clientText, ReadOnlySpan<byte> suffix)
    {
        int end = clientText.IndexOf((byte)0);
        if (end >= 0)
            clientText = clientText[..end];
        if (suffix.IsEmpty)
            clientText = clientText.TrimEnd("\r\n"u8);
        BeginError();
        ErrorText(prefix);
        ErrorText(clientText);
        ErrorText(suffix);
        EndError();
    }

    /// <summary>Begins an error in several pieces: <see cref="ErrorText"/>, <see cref="EndError"/>.</summary>
    public void BeginError()
    {
        *Advance(1) = (byte)'-';
        CountValue();
        ErrorCount++;
        _isErrorNew = true;
    }

    /// <summary>Appends to an error: line ends become spaces, and a text is cut off at its first NUL, as in
    /// Redis.</summary>
    public void ErrorText(ReadOnlySpan<byte> text)
    {
        const int pieceSize = 1024;
        int end = text.IndexOf((byte)0);
        if (end >= 0)
            text = text[..end];
        if (_isErrorNew)
        {
            _isErrorNew = false;
            (_mutedSink ?? Sink).NoteError(text);
        }

        while (!text.IsEmpty)
        {
            ReadOnlySpan<byte> piece = text[..Math.Min(text.Length, pieceSize)];
            Span<byte> target = new(Advance(piece.Length), piece.Length);
            piece.CopyTo(target);
            target.Replace((byte)'\r', (byte)' ');
            target.Replace((byte)'\n', (byte)' ');
            text = text[piece.Length..];
        }
    }

    /// <summary>Ends an error.</summary>
    public void EndError() => *(ushort*)Advance(sizeof(ushort)) = LineEnd;

    /// <summary>An integer.</summary>
    public void Integer(long value)
    {
        byte* p = Reserve(IntegerBytesMax);
        CountValue();
        if ((ulong)value < 10)
        {
            *(uint*)p = 0x0A0D303A + ((uint)value << 8);
            Cursor = p + sizeof(uint);
            return;
        }

        *p = (byte)':';
        p = RedisNumber.WriteInt64(p + 1, value);
        *(ushort*)p = LineEnd;
        Cursor = p + sizeof(ushort);
    }

    /// <summary>Whether a bulk string of this length, or an integer as one, fits into the chunk, so that
    /// writing it does not call the sink.</summary>
    public readonly bool HasRoomFor(int length) =>
        Limit - Cursor >= (nint)Math.Max(length, IntegerBytesMax) + ReplyHeader.RoomMin;

    /// <summary>A bulk string.</summary>
    public void Bulk(ReadOnlySpan<byte> value)
    {
        byte* p = Cursor;
        if (Limit - p < (nint)value.Length + ReplyHeader.RoomMin)
        {
            BulkHeader(value.Length);
            Raw(value);
            EndBulk();
            return;
        }

        CountValue();
        // SAFETY: header (at most 13), value and line end fit.
        p = ReplyHeader.Write(p, '$', (uint)value.Length);
        Unsafe.CopyBlockUnaligned(ref *p, ref MemoryMarshal.GetReference(value), (uint)value.Length);
        p += value.Length;
        *(ushort*)p = LineEnd;
        Cursor = p + sizeof(ushort);
    }

    /// <summary>
    /// The header of a bulk whose bytes follow in pieces (<see cref="Raw"/>, <see cref="Reference"/>), then
    /// <see cref="EndBulk"/>.
    /// </summary>
    public void BulkHeader(int length) => Header('$', length);

    /// <summary>The line end behind a bulk in pieces.</summary>
    public void EndBulk() => *(ushort*)Advance(sizeof(ushort)) = LineEnd;

    /// <summary>Bytes as they are.</summary>
    public void Raw(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            if (Cursor == Limit)
                Sink.Grow(ref this, Math.Min(bytes.Length, PieceSizeMax));

            int size = (int)Math.Min(bytes.Length, Limit - Cursor);
            bytes[..size].CopyTo(new Span<byte>(Cursor, size));
            Cursor += size;
            bytes = bytes[size..];
        }
    }

    /// <summary>Bytes of a block that is retained until they are sent.</summary>
    public void Reference(SharedBlock* block, byte* data, int length)
        => Sink.AppendReference(ref this, block, data, length);

    /// <summary>A bulk whose bytes are not copied.</summary>
    public void BulkReference(SharedBlock* block, byte* data, int length)
    {
        BulkHeader(length);
        Reference(block, data, length);
        EndBulk();
    }

    /// <summary>An integer as a bulk string.</summary>
    public void BulkInteger(long value)
    {
        CountValue();
        byte* p = Reserve(IntegerBytesMax + ReplyHeader.RoomMin);
        p = ReplyHeader.Write(p, '$', (uint)RedisNumber.LengthOfInt64(value));
        p = RedisNumber.WriteInt64(p, value);
        *(ushort*)p = LineEnd;
        Cursor = p + sizeof(ushort);
    }

    /// <summary>A missing value.</summary>
    public void Null() => WriteNull(0x0A0D_312D24);

    /// <summary>A missing array.</summary>
    public void NullArray() => WriteNull(0x0A0D_312D2A);

    /// <summary>The header of an array; its elements follow.</summary>
    public void ArrayHeader(long count) => Header('*', count);

    /// <summary>The header of a map; its pairs follow. RESP2: an array of twice the length.</summary>
    public void MapHeader(long pairCount)
    {
        bool isArray = Protocol < 3;
        Header(isArray ? '*' : '%', isArray ? pairCount * 2 : pairCount);
    }

    /// <summary>The header of a set; its members follow. RESP2: an array.</summary>
    public void SetHeader(long count) => Header(Protocol < 3 ? '*' : '~', count);

    /// <summary>The header of a message that answers no command. RESP2: an array.</summary>
    public void PushHeader(long count) => Header(Protocol < 3 ? '*' : '>', count);

    /// <summary>The header of attributes; their pairs follow, then the reply proper.</summary>
    /// <returns>false in RESP2, which has none: nothing was written, leave the pairs out</returns>
    public bool AttributeHeader(long pairCount)
    {
        if (Protocol >= 3)
            Header('|', pairCount);
        return Protocol >= 3;
    }

    /// <summary>A floating-point number. RESP2: a bulk string.</summary>
    public void Double(double value)
    {
        Span<byte> text = stackalloc byte[RedisDouble.BytesMax];
        ReadOnlySpan<byte> number = text[..RedisDouble.Format(value, text)];
        if (Protocol < 3)
            Bulk(number);
        else
            Line((byte)',', number);
    }

    /// <summary>A truth value. RESP2: 1 or 0.</summary>
    public void Boolean(bool value)
    {
        CountValue();
        uint text = value ? 0x0A0D_7423u : 0x0A0D_6623u;
        *(uint*)Advance(sizeof(uint)) = Protocol < 3 ? value ? 0x0A0D_313Au : 0x0A0D_303Au : text;
    }

    /// <summary>A number of any size. RESP2: a bulk string.</summary>
    /// <param name="digits">decimal digits, optionally after a minus</param>
    public void BigNumber(ReadOnlySpan<byte> digits)
    {
        if (Protocol < 3)
            Bulk(digits);
        else
            Line((byte)'(', digits);
    }

    /// <summary>Text with its format. RESP2: a bulk string without it.</summary>
    /// <param name="format">three bytes: <c>txt</c> or <c>mkd</c></param>
    /// <param name="text">the text</param>
    public void Verbatim(ReadOnlySpan<byte> format, ReadOnlySpan<byte> text)
    {
        if (Protocol < 3)
        {
            Bulk(text);
            return;
        }

        Header('=', text.Length + 4L);
        Raw(format);
        Raw(":"u8);
        Raw(text);
        EndBulk();
    }

    /// <summary>Reserves space for the header of an array (map, set) whose length is known later.</summary>
    public DeferredHeader BeginDeferred()
    {
        byte* start = Reserve(ReplyHeader.RoomMin);
        Cursor = start + ReplyHeader.SizeMax;
        return new DeferredHeader(start, Sink.SegmentIndex);
    }

    /// <summary>Ends a deferred array.</summary>
    public void EndDeferredArray(in DeferredHeader header, long count) => EndDeferred(header, '*', count);

    /// <summary>Ends a deferred map.</summary>
    public void EndDeferredMap(in DeferredHeader header, long pairCount)
        => EndDeferred(header, Protocol < 3 ? '*' : '%', Protocol < 3 ? pairCount * 2 : pairCount);

    /// <summary>Ends a deferred set.</summary>
    public void EndDeferredSet(in DeferredHeader header, long count)
        => EndDeferred(header, Protocol < 3 ? '*' : '~', count);

    /// <summary>Reserves space for the head of SCAN's reply, which is known after its
    /// elements.</summary>
    public DeferredHeader BeginDeferredScan()
    {
        byte* start = Reserve(ScanHeadSizeMax);
        Cursor = start + ScanHeadSizeMax;
        return new DeferredHeader(start, Sink.SegmentIndex);
    }

    /// <summary>Ends SCAN's reply: an array of a cursor and of the elements written since.</summary>
    public void EndDeferredScan(in DeferredHeader header, ulong cursor, long count)
    {
        CountValue(announced: count);
        // SAFETY: as in EndDeferred.
        byte* text = stackalloc byte[ScanHeadSizeMax + ReplyHeader.RoomMin];
        byte* end = ReplyHeader.Write(text, '*', 2);
        end = ReplyHeader.Write(end, '$', (uint)RedisNumber.LengthOfInt64((long)cursor));
        end = RedisNumber.WriteInt64(end, (long)cursor);
        *(ushort*)end = LineEnd;
        end = ReplyHeader.Write(end + sizeof(ushort), '*', checked((uint)count));
        Fill(in header, new ReadOnlySpan<byte>(text, (int)(end - text)), ScanHeadSizeMax);
    }

    /// <summary>A position to return to.</summary>
    public readonly ReplyMark Save()
    {
#if DEBUG
        return new(Cursor, Sink.SegmentIndex) { ValueCount = ValueCount };
#else
        return new(Cursor, Sink.SegmentIndex);
#endif
    }

    /// <summary>Drops what was written since the mark.</summary>
    public void Rewind(in ReplyMark mark)
    {
        Debug.Assert(mark.SegmentIndex <= Sink.SegmentIndex, "a mark lies behind the cursor");
#if DEBUG
        ValueCount = mark.ValueCount;
#endif
        if (mark.SegmentIndex == Sink.SegmentIndex)
            Cursor = mark.Cursor;
        else
            Sink.Truncate(ref this, mark);
    }

    /// <summary>Discards all output until <see cref="Unmute"/>.</summary>
    public void Mute(DiscardSink discard)
    {
        if (_mutedSink != null)
            throw new InvalidOperationException("the writer is muted already");

        _mutedCursor = Cursor;
        _mutedLimit = Limit;
        _mutedSink = Sink;
        Sink = discard;
        Cursor = Limit = null;
    }

    /// <summary>Goes on where <see cref="Mute"/> left off.</summary>
    public void Unmute()
    {
        Sink = _mutedSink ?? throw new InvalidOperationException("the writer is not muted");
        _mutedSink = null;
        Cursor = _mutedCursor;
        Limit = _mutedLimit;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* Reserve(int size)
    {
        Debug.Assert(Cursor <= Limit, "the cursor lies in its chunk");
        if (Limit - Cursor < size)
        {
            Sink.Grow(ref this, size);
            Debug.Assert(Limit - Cursor >= size, "the sink provides the space that it was asked for");
        }

        return Cursor;
    }

    private byte* Advance(int size)
    {
        byte* p = Reserve(size);
        Cursor = p + size;
        return p;
    }

    private void WriteNull(ulong oldText)
    {
        CountValue();
        byte* p = Reserve(sizeof(ulong));
        bool isOld = Protocol < 3;
        *(ulong*)p = isOld ? oldText : 0x0A0D_5F;
        Cursor = p + (isOld ? 5 : 3);
    }

    private void Header(char type, long count)
    {
        CountHeader(type, count);
        byte* p = Reserve(ReplyHeader.RoomMin);
        Cursor = ReplyHeader.Write(p, type, checked((uint)count));
    }

    private void Line(byte type, ReadOnlySpan<byte> text)
    {
        CountValue();
        int size = text.Length + 3;
        byte* p = Reserve(size);
        *p = type;
        text.CopyTo(new Span<byte>(p + 1, text.Length));
        *(ushort*)(p + 1 + text.Length) = LineEnd;
        Cursor = p + size;
    }

    [Conditional("DEBUG")]
    private void CountHeader(char type, long count) => CountValue(type switch
    {
        '$' or '=' => 0,
        '%' => 2 * count,
        // No values themselves.
        '|' => (2 * count) + 1,
        '>' => count + 1,
        _ => count,
    });

    [Conditional("DEBUG")]
    private void CountValue(long announced = 0)
    {
#if DEBUG
        ValueCount += 1 - announced;
#endif
    }

    private void EndDeferred(in DeferredHeader header, char type, long count)
    {
        CountHeader(type, count);
        // SAFETY: 13 bytes at Start are reserved; the header is built aside, since writing it may spill.
        byte* text = stackalloc byte[ReplyHeader.RoomMin];
        int size = (int)(ReplyHeader.Write(text, type, checked((uint)count)) - text);
        Fill(in header, new ReadOnlySpan<byte>(text, size), ReplyHeader.SizeMax);
    }

    private void Fill(in DeferredHeader header, ReadOnlySpan<byte> text, int reservedSize)
    {
        int gap = reservedSize - text.Length;
        Debug.Assert(gap >= 0, "the reserved space holds every header");
        Debug.Assert(header.SegmentIndex <= Sink.SegmentIndex, "a deferred header lies behind the cursor");
        text.CopyTo(new Span<byte>(header.Start, text.Length));
        byte* gapStart = header.Start + text.Length;
        if (header.SegmentIndex != Sink.SegmentIndex)
        {
            Sink.RemoveBytes(header.SegmentIndex, gapStart, gap);
            return;
        }

        byte* rest = gapStart + gap;
        long restSize = Cursor - rest;
        Debug.Assert(restSize >= 0, "a deferred header ends behind the space reserved for it");
        Buffer.MemoryCopy(rest, gapStart, restSize, restSize);
        Cursor -= gap;
    }
}
