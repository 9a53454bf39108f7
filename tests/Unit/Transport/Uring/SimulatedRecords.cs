// Records in place of TLS, of which the transport sees as much:
//
//   | 0: kind | 1: length, 2 bytes | 3: bytes, each changed by its place and the number of its record |
//
// A byte that is lost, repeated or exchanged with another one is no valid record.

using System;
using System.Collections.Generic;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The records of one direction of a connection, on either side.</summary>
internal sealed class SimulatedRecords
{
    /// <summary>Bytes before those of a record.</summary>
    public const int HeaderSize = 3;

    /// <summary>The kind of the records that begin a connection.</summary>
    public const byte Hello = 1;

    /// <summary>The kind of the records with bytes.</summary>
    public const byte Data = 2;

    /// <summary>The kind of the record that ends a direction.</summary>
    public const byte End = 3;

    private readonly List<byte> _bytes = [];
    private int _number;

    /// <summary>The kind of the record that was decoded.</summary>
    public byte Kind => _bytes[0];

    /// <summary>Encodes a record.</summary>
    /// <returns>How many bytes it has.</returns>
    public int Encode(byte kind, ReadOnlySpan<byte> plain, Span<byte> place)
    {
        place[0] = kind;
        place[1] = (byte)plain.Length;
        place[2] = (byte)(plain.Length >> 8);
        for (int index = 0; index < plain.Length; index++)
            place[HeaderSize + index] = (byte)(plain[index] ^ KeyOf(index));
        _number++;
        return HeaderSize + plain.Length;
    }

    /// <summary>Decodes the next byte.</summary>
    /// <returns>The bytes of a record, if it is complete now; else null.</returns>
    public byte[]? Decode(byte next)
    {
        if (_bytes.Count > 0 && _bytes.Count == HeaderSize + LengthOf())
            _bytes.Clear();
        _bytes.Add(next);
        if (_bytes.Count < HeaderSize || _bytes.Count < HeaderSize + LengthOf())
            return null;
        if (Kind is not (Hello or Data or End))
            throw new InvalidOperationException($"record {_number} is of kind {Kind}");
        byte[] plain = new byte[LengthOf()];
        for (int index = 0; index < plain.Length; index++)
            plain[index] = (byte)(_bytes[HeaderSize + index] ^ KeyOf(index));
        _number++;
        return plain;
    }

    private byte KeyOf(int index) => (byte)((_number * 31) + index);

    private int LengthOf() => _bytes.Count < HeaderSize ? ushort.MaxValue : _bytes[1] | (_bytes[2] << 8);
}
