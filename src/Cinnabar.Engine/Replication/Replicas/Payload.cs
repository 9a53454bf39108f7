// The data of one full synchronisation on their way from a saver to the replicas that it serves. The saver
// appends; each replica reads at its own pace; a byte is freed when all have taken it. The saver waits while
// the slowest replica has BytesMax to take, so that the data never lie in memory twice. Nothing waits for the
// saver: what clients change meanwhile is copied by the snapshot, without a bound of its own
// (Snapshots, SnapshotKind.Replicas); each such copy has its record in the stream, whose unread bytes are
// limited for each replica.
//
// It ends whole, or without readers (a replica that is too slow is disconnected), or failed: then its
// replicas are disconnected. Its memory goes when saver and readers have ended.

using System.IO;
using Cinnabar.Memory;
using Cinnabar.Replication;

namespace Cinnabar.Engine.Replication.Replicas;

/// <summary>Data that several replicas get. Thread-safe.</summary>
/// <param name="pool">Where their blocks come from.</param>
internal sealed class Payload(SharedBlockPool pool)
{
    private const long BytesMax = 8 << 20;
    private const int PieceBytesMax = 1 << 20;
    private const int WaitMs = 100;

    private readonly ReplicationBacklog _bytes = new(pool, offset: 0);
    private readonly ManualResetEventSlim _room = new();
    private readonly Lock _lock = new();
    private int _readerCount;
    private bool _isWritten;
    private volatile Replica[] _replicas = [];
    private volatile bool _isWhole;
    private volatile bool _isAbandoned;

    /// <summary>Whether they come out of a file, whose length is told before them.</summary>
    public bool IsStored { get; init; }

    /// <summary>Whether the saver waits for the replicas.</summary>
    public bool IsBounded { get; init; } = true;

    /// <summary>Called when no replica wants them any more and not all are written, on any thread.</summary>
    public Action? Abandoned { get; set; }

    /// <summary>Called when the memory has gone, on any thread.</summary>
    public required Action<Payload> Ended { get; init; }

    /// <summary>Whether all have been appended.</summary>
    public bool IsWhole => _isWhole;

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes => _bytes.MemoryBytes;

    /// <summary>Those that get them; before the first byte.</summary>
    public void Begin(Replica[] replicas)
    {
        Debug.Assert(_replicas.Length == 0 && replicas.Length > 0, "they are for somebody");
        _replicas = replicas;
    }

    /// <summary>Adds a reader; before the first byte.</summary>
    public BacklogReader AddReader()
    {
        lock (_lock)
            _readerCount++;
        return _bytes.TryAddReader(0) ?? throw new InvalidOperationException("the data have begun");
    }

    /// <summary>Ends a reader, which may have taken all.</summary>
    public void Leave(BacklogReader reader)
    {
        reader.Dispose();
        lock (_lock)
        {
            if (--_readerCount > 0)
                return;
        }

        Abandon();
    }

    /// <summary>Has the saver write no more.</summary>
    public void Abandon()
    {
        bool isWritten;
        lock (_lock)
        {
            if (_isAbandoned)
                return;
            _isAbandoned = true;
            isWritten = _isWritten;
        }

        _room.Set();
        if (isWritten)
            End();
        else if (!_isWhole)
            Abandoned?.Invoke();
    }

    /// <summary>A reader has taken bytes.</summary>
    public void NoteTaken()
    {
        if (!_room.IsSet && _bytes.UnreadBytes <= BytesMax / 2)
            _room.Set();
    }

    /// <summary>Appends bytes, when there is room for them.</summary>
    /// <exception cref="IOException">No replica wants them any more.</exception>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        Debug.Assert(!_isWhole, "nothing follows the last byte");
        while (!bytes.IsEmpty)
        {
            WaitForRoom();
            ReadOnlySpan<byte> piece = bytes[..Math.Min(bytes.Length, PieceBytesMax)];
            _bytes.Append(piece);
            bytes = bytes[piece.Length..];
            Wake();
        }
    }

    /// <summary>Ends them: all were appended.</summary>
    public void Complete()
    {
        _isWhole = true;
        Wake();
        EndWriting();
    }

    /// <summary>Gives them up: disconnects those that want them.</summary>
    public void Fail()
    {
        Debug.Assert(!_isWhole, "they are whole");
        foreach (Replica replica in _replicas)
        {
            // ORDER: the phase is read first; it is written behind the payload (Replica.BeginTransfer).
            if (replica.Phase == ReplicaPhase.WaitingForMoment || replica.Payload == this)
                replica.Disconnect();
        }

        EndWriting();
    }

    private void EndWriting()
    {
        lock (_lock)
        {
            Debug.Assert(!_isWritten, "the saver ends once");
            _isWritten = true;
            if (!_isAbandoned)
                return;
        }

        End();
    }

    private void End()
    {
        _bytes.Dispose();
        Ended(this);
    }

    private void WaitForRoom()
    {
        while (!_isAbandoned && IsBounded && _bytes.UnreadBytes >= BytesMax)
        {
            _room.Reset();
            if (_bytes.UnreadBytes >= BytesMax && !_isAbandoned)
                _room.Wait(WaitMs);
        }

        if (_isAbandoned)
            throw new IOException("the replicas have gone");
    }

    private void Wake()
    {
        foreach (Replica replica in _replicas)
            replica.Wake();
    }
}
