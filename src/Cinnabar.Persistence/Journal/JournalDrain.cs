// From the ring to its readers. The thread that has the drain's lock takes the published records in order and
// makes one stream of them: SELECT where a record's database is not the one selected, MULTI and EXEC around a
// record of several commands, and annotations with the time at which executions committed. What is for
// replicas only goes to the sinks that are. It collects the stream in a buffer, so that the records of a turn
// are one write of the file.
//
// A drain ends at the tail that it found: a thread that waits for its own records never does the work of all
// others.

using Cinnabar.Keyspace.Journaling;
using Cinnabar.Resp;

namespace Cinnabar.Persistence.Journal;

/// <summary>Drains a ring into sinks. Any thread may; one does at a time.</summary>
/// <param name="ring">The ring.</param>
public sealed class JournalDrain(JournalRing ring) : IJournalReader, IDisposable
{
    private const int NoDatabase = -1;
    private const int BufferedBytesMax = 256 * 1024;
    private const int PieceBytesMax = 1 << 30;
    private const int TextLengthMax = 64;
    private const int ShortBytesMax = 512;

    private readonly JournalRing _ring = ring;
    private readonly Lock _lock = new();
    private readonly NativeBuffer _buffer = new();
    private IJournalSink[] _sinks = [];
    private int _database = NoDatabase;
    private long _annotatedSeconds;
    private bool _isFileNew = true;
    private long _position;

    /// <summary>Whether the stream's files have annotations with the time.</summary>
    public bool WantsTimestamps { get; set; }

    /// <summary>Bytes of the stream so far.</summary>
    public long Offset { get; private set; }

    /// <summary>The position up to which the sinks have been given all records.</summary>
    // ORDER: published with a releasing store behind the last sink's EndDrain.
    public long Position => Volatile.Read(ref _position);

    /// <summary>Adds a sink: it gets what is drained from now on, beginning with SELECT.</summary>
    public void Add(IJournalSink sink)
    {
        lock (_lock)
        {
            Drain();
            _sinks = [.. _sinks, sink];
            _database = NoDatabase;
            _isFileNew = true;
        }
    }

    /// <summary>Removes a sink, which has been given all that was published before.</summary>
    public void Remove(IJournalSink sink)
    {
        lock (_lock)
        {
            Drain();
            _sinks = Array.FindAll(_sinks, one => one != sink);
        }
    }

    /// <summary>Gives all that was published. Where the caller holds all stripes, the sinks have exactly what
    /// led to the data of this moment.</summary>
    /// <returns>The database that is selected then; −1: what follows begins with SELECT.</returns>
    public int GiveAll()
    {
        lock (_lock)
        {
            Drain();
            return _database;
        }
    }

    /// <summary>Gives all that was published, and has what follows begin with SELECT.</summary>
    public void Mark()
    {
        lock (_lock)
        {
            Drain();
            _database = NoDatabase;
        }
    }

    /// <inheritdoc/>
    public bool TryDrain()
    {
        if (!_lock.TryEnter())
            return false;
        try
        {
            Drain();
        }
        finally
        {
            _lock.Exit();
        }

        return true;
    }

    /// <summary>Returns when the sinks have been given all records up to a position.</summary>
    /// <param name="position">A position that has been claimed; its records are about to be
    /// published.</param>
    public void DrainTo(long position)
    {
        Debug.Assert(position <= _ring.Tail, "nothing has been claimed there");
        var spinner = default(SpinWait);
        while (Position < position)
        {
            if (!TryDrain() || Position < position)
                spinner.SpinOnce(sleep1Threshold: -1);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _buffer.Dispose();

    // SAFETY: a record is not released before Advance; behind the ring's last one are its words of
    // publication, so a vector can be read there.
    private unsafe void Drain()
    {
        long until = _ring.Tail;
        long end = _position;
        while (_ring.TryRead(out JournalRecord record) && record.End <= until)
        {
            end = record.End;
            if (IsShort(in record))
                _buffer.AppendShort(record.Data, (int)record.ByteCount);
            else
                Take(in record);
            _ring.Advance(in record);
            if (_buffer.Count < BufferedBytesMax)
                continue;
            Flush();
            _ring.ReleaseRead();
        }

        Flush();
        _ring.ReleaseRead();
        if (end == _position)
            return;
        foreach (IJournalSink sink in _sinks)
            sink.EndDrain(end);
        Volatile.Write(ref _position, end);
    }

    // Most records are a short command for the database that is selected.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsShort(in JournalRecord record) =>
        record.Kind == RecordKind.Commands && record.ByteCount <= ShortBytesMax
        && record is { IsTransaction: false, Audience: JournalAudience.All }
        && record.FirstDatabase == _database && record.LastDatabase == _database && !WantsTimestamps;

    private unsafe void Take(in JournalRecord record)
    {
        if (record.Kind == RecordKind.Switch)
        {
            Flush();
            foreach (IJournalSink sink in _sinks)
                sink.Switch(Offset);
            _database = NoDatabase;
            _isFileNew = true;
            return;
        }

        if (record.Audience == JournalAudience.Replicas)
        {
            PassToSome(in record, isForReplicas: true);
            return;
        }

        if (WantsTimestamps && (record.Seconds > _annotatedSeconds || _isFileNew))
            Annotate(Math.Max(record.Seconds, _annotatedSeconds));
        if (record.Audience == JournalAudience.File)
        {
            PassToSome(in record, isForReplicas: false);
            Offset += record.ByteCount;
            // It selects a database itself, as that for the replicas before it does.
            _database = NoDatabase;
            return;
        }

        if (record.IsTransaction)
            _buffer.Append("*1\r\n$5\r\nMULTI\r\n"u8);
        if (record.FirstDatabase != _database)
            Select(record.FirstDatabase);
        for (long done = 0; done < record.ByteCount; done += PieceBytesMax)
        {
            // SAFETY: the record is not released before Advance.
            var piece = new ReadOnlySpan<byte>(
                record.Data + done, (int)Math.Min(PieceBytesMax, record.ByteCount - done));
            if (record.Kind == RecordKind.LargeCommands)
                Pass(piece);
            else
                _buffer.Append(piece);
        }

        if (record.IsTransaction)
            _buffer.Append("*1\r\n$4\r\nEXEC\r\n"u8);
        _database = record.LastDatabase;
    }

    private unsafe void PassToSome(in JournalRecord record, bool isForReplicas)
    {
        Flush();
        foreach (IJournalSink sink in _sinks)
        {
            // SAFETY: the record is not released before Advance.
            if (sink.IsForReplicas == isForReplicas)
                sink.Write(Offset, new ReadOnlySpan<byte>(record.Data, (int)record.ByteCount));
        }
    }

    // A large record need not be copied.
    private void Pass(ReadOnlySpan<byte> piece)
    {
        Flush();
        foreach (IJournalSink sink in _sinks)
            sink.Write(Offset, piece);
        Offset += piece.Length;
    }

    private void Flush()
    {
        if (_buffer.Count == 0)
            return;
        foreach (IJournalSink sink in _sinks)
            sink.Write(Offset, _buffer.Slice(0, _buffer.Count));
        Offset += _buffer.Count;
        _buffer.RemoveFront(_buffer.Count);
    }

    private unsafe void Select(int database)
    {
        Span<byte> digits = stackalloc byte[RedisNumber.Int64BytesMax];
        digits = digits[..RedisNumber.FormatInt64(database, digits)];
        // SAFETY: there is room for the longest number.
        byte* text = stackalloc byte[TextLengthMax];
        byte* end = CommandText.WriteHead(text, argumentCount: 2);
        end = CommandText.WriteArgument(CommandText.WriteArgument(end, "SELECT"u8), digits);
        _buffer.Append(new ReadOnlySpan<byte>(text, (int)(end - text)));
    }

    // The time never goes back in a file, whatever the clock does: a reader stops at the first later one.
    private void Annotate(long seconds)
    {
        _annotatedSeconds = seconds;
        _isFileNew = false;
        Flush();
        Span<byte> text = stackalloc byte[TextLengthMax];
        bool fits = System.Text.Unicode.Utf8.TryWrite(text, CultureInfo.InvariantCulture,
            $"#TS:{seconds}\r\n", out int length);
        Debug.Assert(fits, "room for the longest number");
        foreach (IJournalSink sink in _sinks)
            sink.WriteAnnotation(text[..length]);
    }
}
