using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>What a replica has: the data of a full synchronisation, and the stream behind them.</summary>
/// <param name="firstOffset">Where in the stream the data were taken.</param>
internal sealed class ReplicaData(long firstOffset)
{
    private readonly List<byte> _stream = [];
    private readonly List<long> _unitEnds = [firstOffset];
    private int _parsed;
    private bool _isInTransaction;

    /// <summary>The name of the stream.</summary>
    public required string Id { get; set; }

    /// <summary>Which of the master's streams it is.</summary>
    public required int Stream { get; init; }

    /// <summary>The RDB file.</summary>
    public byte[] Payload { get; set; } = [];

    /// <summary>Where in the stream it was taken.</summary>
    public long FirstOffset { get; } = firstOffset;

    /// <summary>The offset behind the last byte of the stream.</summary>
    public long Offset => FirstOffset + _stream.Count;

    /// <summary>The offset behind the last whole unit: a command, or a transaction.</summary>
    public long WholeOffset => _unitEnds[^1];

    /// <summary>How often the master has asked for an acknowledgement.</summary>
    public int AskedCount { get; private set; }

    /// <summary>The stream up to an offset.</summary>
    public ReadOnlySpan<byte> StreamUntil(long offset) =>
        CollectionsMarshal.AsSpan(_stream)[..(int)(offset - FirstOffset)];

    /// <summary>Whether a unit ends at an offset.</summary>
    public bool IsUnitEnd(long offset) => _unitEnds.BinarySearch(offset) >= 0;

    /// <summary>Takes bytes of the stream.</summary>
    /// <exception cref="InvalidDataException">They are no commands.</exception>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        _stream.AddRange(bytes);
        ReadOnlySpan<byte> stream = CollectionsMarshal.AsSpan(_stream);
        while (_parsed < stream.Length && StreamCommands.TryRead(stream, ref _parsed) is { } name)
            Note(name);
    }

    /// <summary>Forgets the stream behind an offset.</summary>
    public void Cut(long offset)
    {
        _stream.RemoveRange((int)(offset - FirstOffset), (int)(Offset - offset));
        // What is not whole is read again when it is.
        _parsed = (int)(WholeOffset - FirstOffset);
        _isInTransaction = false;
    }

    private void Note(string name)
    {
        if (name is "MULTI" or "EXEC" && _isInTransaction == (name == "MULTI"))
            throw new InvalidDataException($"{name} stands where none can");
        _isInTransaction = name == "MULTI" || (_isInTransaction && name != "EXEC");
        AskedCount += name == "REPLCONF" ? 1 : 0;
        if (!_isInTransaction)
            _unitEnds.Add(FirstOffset + _parsed);
    }
}
