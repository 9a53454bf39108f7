using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>Writes files of the format byte by byte, independently of the product's writer.</summary>
internal sealed class RdbFileBuilder
{
    private readonly List<byte> _bytes = [];

    /// <summary>Begins a file.</summary>
    public RdbFileBuilder(string magic = "REDIS0010") => _bytes.AddRange(Encoding.ASCII.GetBytes(magic));

    /// <summary>How many bytes there are.</summary>
    public int Length => _bytes.Count;

    public RdbFileBuilder Opcode(RdbOpcode code) => Raw((byte)code);

    public RdbFileBuilder Raw(params ReadOnlySpan<byte> bytes)
    {
        _bytes.AddRange(bytes);
        return this;
    }

    public RdbFileBuilder Count(long count)
    {
        if (count < 64)
            return Raw((byte)count);
        if (count < 16384)
            return Raw((byte)(0x40 | count >> 8), (byte)count);
        Raw(0x80);
        Span<byte> bytes = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(bytes, (int)count);
        return Raw(bytes);
    }

    public RdbFileBuilder Text(string text) => Count(text.Length).Raw(Encoding.Latin1.GetBytes(text));

    public RdbFileBuilder Int64(long value)
    {
        Span<byte> bytes = stackalloc byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, value);
        return Raw(bytes);
    }

    public RdbFileBuilder Aux(string name, string text) => Opcode(RdbOpcode.Aux).Text(name).Text(text);

    public RdbFileBuilder Select(int database) => Opcode(RdbOpcode.SelectDatabase).Count(database);

    public RdbFileBuilder Expire(long unixMs) => Opcode(RdbOpcode.ExpireTimeMs).Int64(unixMs);

    /// <summary>A string; the deadline before it, if any, is its own.</summary>
    public RdbFileBuilder String(string key, string value) => Raw((byte)RdbType.String).Text(key).Text(value);

    /// <summary>A collection of strings.</summary>
    public RdbFileBuilder Collection(RdbType type, string key, params ReadOnlySpan<string> elements)
    {
        Raw((byte)type).Text(key).Count(type == RdbType.Hash ? elements.Length / 2 : elements.Length);
        foreach (string element in elements)
            Text(element);
        return this;
    }

    /// <summary>A module's value with a text in it.</summary>
    public RdbFileBuilder Module(string key, ulong id, string text)
    {
        Raw((byte)RdbType.Module2).Text(key).Raw(0x81);
        Span<byte> bytes = stackalloc byte[8];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, id);
        return Raw(bytes).Count(5).Text(text).Count(0);
    }

    /// <summary>The file, with its end and checksum.</summary>
    public byte[] End(bool hasChecksum = true)
    {
        Opcode(RdbOpcode.End);
        ulong checksum = hasChecksum ? Crc64.Append(0, _bytes.ToArray()) : 0;
        return Int64((long)checksum).Bytes();
    }

    /// <summary>What was written.</summary>
    public byte[] Bytes() => [.. _bytes];
}
