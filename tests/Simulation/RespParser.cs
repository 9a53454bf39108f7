using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation;

/// <summary>Reads replies from bytes that come in pieces; strict: what is not RESP is a failure.</summary>
internal static class RespParser
{
    /// <summary>Parses one reply.</summary>
    /// <param name="data">The bytes.</param>
    /// <param name="position">Where it begins; where it ends, afterwards.</param>
    /// <returns>The reply; null where it is not complete yet.</returns>
    /// <exception cref="InvalidDataException">It is no reply.</exception>
    public static RespValue? TryParse(ReadOnlySpan<byte> data, ref int position)
    {
        int length = data[position..].IndexOf("\r\n"u8);
        if (length < 0)
            return null;
        string line = Encoding.Latin1.GetString(data.Slice(position, length));
        int next = position + length + 2;
        if (line.Length == 0)
            throw new InvalidDataException("An empty line.");
        RespValue? value = line[0] switch
        {
            '+' or '-' or ':' or ',' or '#' or '(' => new RespValue(line[0], line[1..], []),
            '_' when line.Length == 1 => new RespValue('_', "", []),
            '$' or '*' when line[1..] == "-1" => new RespValue('_', "", []),
            '$' or '=' => Bulk(data, line[0], Number(line), ref next),
            '*' or '~' or '>' => Items(data, line[0], Number(line), ref next),
            '%' => Items(data, '%', 2 * Number(line), ref next),
            _ => throw new InvalidDataException($"No reply: {line}"),
        };
        if (value is not null)
            position = next;
        return value;
    }

    private static int Number(string line) =>
        int.TryParse(line.AsSpan(1), NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? number
            : throw new InvalidDataException($"No length: {line}");

    private static RespValue? Bulk(ReadOnlySpan<byte> data, char kind, int length, ref int position)
    {
        if (data.Length - position < length + 2)
            return null;
        if (!data.Slice(position + length, 2).SequenceEqual("\r\n"u8))
            throw new InvalidDataException("A bulk string without its end.");
        string text = Encoding.Latin1.GetString(data.Slice(position, length));
        position += length + 2;
        return new RespValue(kind, text, []);
    }

    private static RespValue? Items(ReadOnlySpan<byte> data, char kind, int count, ref int position)
    {
        var items = new List<RespValue>();
        for (int index = 0; index < count; index++)
        {
            if (position >= data.Length || TryParse(data, ref position) is not { } item)
                return null;
            items.Add(item);
        }

        return new RespValue(kind, "", items);
    }
}
