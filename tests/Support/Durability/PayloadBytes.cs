using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>Writes the elements of RDB byte by byte, independently of the product, in forms chosen at
/// random: strings raw, as integers or compressed, lengths longer than needed.</summary>
/// <param name="random">Chooses.</param>
public sealed class PayloadBytes(Random random)
{
    private readonly MemoryStream _bytes = new();

    /// <summary>What was written.</summary>
    public byte[] ToArray() => _bytes.ToArray();

    public PayloadBytes Byte(int value)
    {
        _bytes.WriteByte((byte)value);
        return this;
    }

    public PayloadBytes Raw(ReadOnlySpan<byte> bytes)
    {
        _bytes.Write(bytes);
        return this;
    }

    /// <summary>A length, mostly in its shortest form.</summary>
    public PayloadBytes Length(ulong value)
    {
        Span<byte> eight = stackalloc byte[8];
        BinaryPrimitives.WriteUInt64BigEndian(eight, value);
        bool isLonger = random.Next(8) == 0;
        if (value < 64 && !isLonger)
            return Byte((int)value);
        if (value < 16384 && !isLonger)
            return Byte(0x40 | (int)(value >> 8)).Byte((int)value);
        return value <= uint.MaxValue && random.Next(4) != 0
            ? Byte(0x80).Raw(eight[4..])
            : Byte(0x81).Raw(eight);
    }

    /// <summary>A string in one of its forms.</summary>
    public PayloadBytes Text(byte[] text)
    {
        if (text.Length <= 11 && long.TryParse(Encoding.Latin1.GetString(text), NumberStyles.AllowLeadingSign,
                CultureInfo.InvariantCulture, out long integer)
            && integer.ToString(CultureInfo.InvariantCulture) == Encoding.Latin1.GetString(text)
            && integer is >= int.MinValue and <= int.MaxValue && random.Next(3) != 0)
            return Integer((int)integer);
        if (text.Length > 4 && random.Next(3) == 0)
            return Compressed(text);
        return Length((ulong)text.Length).Raw(text);
    }

    public PayloadBytes Int64(long value)
    {
        Span<byte> bytes = stackalloc byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, value);
        return Raw(bytes);
    }

    public PayloadBytes BinaryScore(double score) => Int64(BitConverter.DoubleToInt64Bits(score));

    public PayloadBytes TextScore(double score)
    {
        if (double.IsInfinity(score))
            return Byte(score < 0 ? 255 : 254);
        byte[] text = Encoding.ASCII.GetBytes(score.ToString("R", CultureInfo.InvariantCulture));
        return Byte(text.Length).Raw(text);
    }

    /// <summary>An ID of 16 bytes.</summary>
    public PayloadBytes RawId((ulong Ms, ulong Sequence) id)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, id.Ms);
        BinaryPrimitives.WriteUInt64BigEndian(bytes[8..], id.Sequence);
        return Raw(bytes);
    }

    /// <summary>An ID of two lengths.</summary>
    public PayloadBytes Id((ulong Ms, ulong Sequence) id) => Length(id.Ms).Length(id.Sequence);

    /// <summary>LZF without a single copy where <paramref name="text"/> has no run, else with copies of
    /// runs.</summary>
    private PayloadBytes Compressed(byte[] text)
    {
        var packed = new MemoryStream();
        int at = 0;
        while (at < text.Length)
        {
            int run = 1;
            while (at + run < text.Length && text[at + run] == text[at] && run < 265)
                run++;
            if (run >= 4)
            {
                packed.Write([0, text[at]]);
                int copied = run - 1;
                if (copied <= 8)
                    packed.Write([(byte)((copied - 2) << 5), 0]);
                else
                    packed.Write([0xE0, (byte)(copied - 9), 0]);
                at += run;
                continue;
            }

            int count = Math.Min(random.Next(1, 33), text.Length - at);
            packed.WriteByte((byte)(count - 1));
            packed.Write(text, at, count);
            at += count;
        }

        Byte(0xC3).Length((ulong)packed.Length).Length((ulong)text.Length);
        return Raw(packed.ToArray());
    }

    private PayloadBytes Integer(int value)
    {
        if (value is >= sbyte.MinValue and <= sbyte.MaxValue)
            return Byte(0xC0).Byte(value);
        if (value is >= short.MinValue and <= short.MaxValue)
            return Byte(0xC1).Byte(value).Byte(value >> 8);
        return Byte(0xC2).Byte(value).Byte(value >> 8).Byte(value >> 16).Byte(value >> 24);
    }
}
