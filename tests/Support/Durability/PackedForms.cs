using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>The packed forms of small collections, byte by byte from the format's description and
/// independently of the product.</summary>
public static class PackedForms
{
    /// <summary>A ziplist; integers where a text is one, unless <paramref name="isTextOnly"/>.</summary>
    public static byte[] Ziplist(IEnumerable<byte[]> items, bool isTextOnly = false)
    {
        var body = new MemoryStream();
        int previous = 0;
        int count = 0;
        foreach (byte[] item in items)
        {
            long start = body.Length;
            if (previous < 254)
                body.WriteByte((byte)previous);
            else
                body.Write([0xFE, .. Little(previous, 4)]);
            WriteZiplistItem(body, item, isTextOnly);
            previous = (int)(body.Length - start);
            count++;
        }

        int tail = 10 + (int)body.Length - previous;
        int told = Math.Min(count, 65535);
        byte[] head = [.. Little(11 + body.Length, 4), .. Little(tail, 4), .. Little(told, 2)];
        return [.. head, .. body.ToArray(), 0xFF];
    }

    /// <summary>A zipmap, some values with free bytes behind them.</summary>
    public static byte[] Zipmap(Random random, IReadOnlyCollection<(byte[] Field, byte[] Value)> pairs)
    {
        var body = new MemoryStream();
        body.WriteByte((byte)Math.Min(pairs.Count, 254));
        foreach ((byte[] field, byte[] value) in pairs)
        {
            WriteZipmapLength(body, field.Length);
            body.Write(field);
            WriteZipmapLength(body, value.Length);
            int free = random.Next(4) == 0 ? random.Next(4) : 0;
            body.WriteByte((byte)free);
            body.Write(value);
            body.Write(new byte[free]);
        }

        body.WriteByte(0xFF);
        return body.ToArray();
    }

    /// <summary>A listpack; integers where a text is one.</summary>
    public static byte[] Listpack(IEnumerable<byte[]> items) => Listpack(items, int.MinValue);

    /// <summary>A listpack with another count in its header than it has.</summary>
    public static byte[] Listpack(IEnumerable<byte[]> items, int headerCount)
    {
        var body = new MemoryStream();
        int count = 0;
        foreach (byte[] item in items)
        {
            byte[] entry = ListpackEntry(item);
            body.Write(entry);
            body.Write(BackLength(entry.Length));
            count++;
        }

        int told = headerCount != int.MinValue ? headerCount : Math.Min(count, 65535);
        return [.. Little(7 + body.Length, 4), .. Little(told, 2), .. body.ToArray(), 0xFF];
    }

    /// <summary>An intset of the width that its members need.</summary>
    public static byte[] Intset(IReadOnlyCollection<long> members)
    {
        int width = members.All(m => m is >= short.MinValue and <= short.MaxValue) ? 2
            : members.All(m => m is >= int.MinValue and <= int.MaxValue) ? 4 : 8;
        return [.. Little(width, 4), .. Little(members.Count, 4),
            .. members.Order().SelectMany(member => Little(member, width))];
    }

    /// <summary>A node of a stream: its head and entries, all with the fields of the first one or their
    /// own.</summary>
    public static byte[] StreamNode((ulong Ms, ulong Sequence) first,
        IReadOnlyList<((ulong Ms, ulong Sequence) Id, byte[][] Fields, bool IsDeleted)> entries)
    {
        byte[][] names = [.. entries[0].Fields.Where((_, index) => index % 2 == 0)];
        int deleted = entries.Count(entry => entry.IsDeleted);
        List<byte[]> items =
            [Digits(entries.Count - deleted), Digits(deleted), Digits(names.Length), .. names, Digits(0)];
        foreach (var entry in entries)
        {
            bool isSame = entry.Fields.Where((_, index) => index % 2 == 0)
                .Zip(names).All(pair => pair.First.AsSpan().SequenceEqual(pair.Second))
                && entry.Fields.Length == 2 * names.Length;
            items.Add(Digits((isSame ? 2 : 0) | (entry.IsDeleted ? 1 : 0)));
            items.Add(Digits((long)(entry.Id.Ms - first.Ms)));
            items.Add(Digits((long)(entry.Id.Sequence - first.Sequence)));
            byte[][] texts = isSame
                ? [.. entry.Fields.Where((_, index) => index % 2 == 1)]
                : [Digits(entry.Fields.Length / 2), .. entry.Fields];
            items.AddRange(texts);
            items.Add(Digits(texts.Length + 3));
        }

        return Listpack(items);
    }

    /// <summary>The integer that a text is the canonical form of.</summary>
    public static bool IsInteger(byte[] text, out long integer)
    {
        string words = Encoding.Latin1.GetString(text);
        return long.TryParse(words, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out integer)
            && integer.ToString(CultureInfo.InvariantCulture) == words;
    }

    private static byte[] Digits(long value) =>
        Encoding.ASCII.GetBytes(value.ToString(CultureInfo.InvariantCulture));

    private static byte[] Little(long value, int width)
    {
        var bytes = new byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, value);
        return bytes[..width];
    }

    private static void WriteZipmapLength(MemoryStream body, int length)
    {
        if (length < 254)
            body.WriteByte((byte)length);
        else
            body.Write([0xFE, .. Little(length, 4)]);
    }

    private static void WriteZiplistItem(MemoryStream body, byte[] item, bool isTextOnly)
    {
        if (!isTextOnly && IsInteger(item, out long integer))
        {
            byte[] encoded = integer switch
            {
                >= 0 and <= 12 => [(byte)(0xF1 + integer)],
                >= sbyte.MinValue and <= sbyte.MaxValue => [0xFE, .. Little(integer, 1)],
                >= short.MinValue and <= short.MaxValue => [0xC0, .. Little(integer, 2)],
                >= -(1 << 23) and < 1 << 23 => [0xF0, .. Little(integer, 3)],
                >= int.MinValue and <= int.MaxValue => [0xD0, .. Little(integer, 4)],
                _ => [0xE0, .. Little(integer, 8)],
            };
            body.Write(encoded);
            return;
        }

        int length = item.Length;
        if (length < 64)
            body.WriteByte((byte)length);
        else if (length < 16384)
            body.Write([(byte)(0x40 | length >> 8), (byte)length]);
        else
            body.Write([0x80, (byte)(length >> 24), (byte)(length >> 16), (byte)(length >> 8), (byte)length]);
        body.Write(item);
    }

    private static byte[] ListpackEntry(byte[] item)
    {
        if (IsInteger(item, out long integer))
        {
            return integer switch
            {
                >= 0 and <= 127 => [(byte)integer],
                >= -4096 and <= 4095 => [(byte)(0xC0 | (integer >> 8 & 0x1F)), (byte)integer],
                >= short.MinValue and <= short.MaxValue => [0xF1, .. Little(integer, 2)],
                >= -(1 << 23) and < 1 << 23 => [0xF2, .. Little(integer, 3)],
                >= int.MinValue and <= int.MaxValue => [0xF3, .. Little(integer, 4)],
                _ => [0xF4, .. Little(integer, 8)],
            };
        }

        int length = item.Length;
        if (length < 64)
            return [(byte)(0x80 | length), .. item];
        if (length < 4096)
            return [(byte)(0xE0 | length >> 8), (byte)length, .. item];
        return [0xF0, .. Little(length, 4), .. item];
    }

    // The size in groups of seven bits, the highest first; all but the first are marked.
    private static byte[] BackLength(int size)
    {
        int count = size switch
        {
            <= 127 => 1,
            < (1 << 14) - 1 => 2,
            < (1 << 21) - 1 => 3,
            < (1 << 28) - 1 => 4,
            _ => 5,
        };
        var bytes = new byte[count];
        for (int index = count - 1; index >= 0; index--, size >>= 7)
            bytes[index] = (byte)(size & 0x7F | (index > 0 ? 0x80 : 0));
        return bytes;
    }
}
