using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using Cinnabar.Engine.Replication.Streams;
using Cinnabar.Replication;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>All bytes of a server's replication stream, as its backlog got them: what a replica gets is
/// compared with it.</summary>
internal sealed unsafe class StreamTape(ReplicationState state)
{
    private readonly List<byte> _bytes = [];
    private ReplicationBacklog? _backlog;
    private BacklogReader? _reader;
    private long _start;

    /// <summary>The offset behind its last byte.</summary>
    public long EndOffset => _start + _bytes.Count;

    /// <summary>How many streams there were: where one has ended, the same offset may name other
    /// data.</summary>
    public int StreamCount { get; private set; }

    /// <summary>Takes what has come; after each step of the server.</summary>
    public void Record()
    {
        if (state.Backlog != _backlog)
            Follow(state.Backlog);
        while (_reader?.TryTake(int.MaxValue, out BacklogSegment segment) == true)
        {
            // SAFETY: the segment's reference keeps its bytes until it is released.
            _bytes.AddRange(new ReadOnlySpan<byte>(segment.Data, segment.Length));
            segment.Block->Release();
        }
    }

    /// <summary>Fails where a replica has got other bytes than those behind an offset.</summary>
    public void Compare(long offset, ReadOnlySpan<byte> bytes)
    {
        long end = offset + bytes.Length;
        if (end > EndOffset)
            throw new InvalidDataException($"a replica is at {end}, its master at {EndOffset}");
        // What came before the tape began is not known.
        int unknown = (int)Math.Clamp(_start - offset, 0, bytes.Length);
        ReadOnlySpan<byte> known = bytes[unknown..];
        ReadOnlySpan<byte> own = CollectionsMarshal.AsSpan(_bytes);
        if (!known.IsEmpty && !known.SequenceEqual(own.Slice((int)(offset + unknown - _start), known.Length)))
            throw new InvalidDataException($"bytes behind {offset} of the stream are others");
    }

    // A stream that has ended and begun again goes on counting; bytes of one step may be missing between.
    private void Follow(ReplicationBacklog? backlog)
    {
        _backlog = backlog;
        StreamCount += backlog is null ? 0 : 1;
        _reader = _bytes.Count == 0 ? null : backlog?.TryAddReader(EndOffset);
        if (backlog is null || _reader is not null)
            return;
        if (backlog.StartOffset < EndOffset)
            throw new InvalidDataException("a stream that begins again counts its bytes twice");
        _bytes.Clear();
        _start = backlog.StartOffset;
        _reader = backlog.TryAddReader(_start);
    }
}
