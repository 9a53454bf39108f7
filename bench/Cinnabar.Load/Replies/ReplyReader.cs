using System;
using System.Globalization;
using System.IO;
using System.Text;

namespace Cinnabar.Load.Replies;

/// <summary>Reads replies of RESP2 and RESP3 one by one, for questions outside a measurement.</summary>
internal sealed class ReplyReader(Stream stream)
{
    private const int LengthMax = 512 << 20;

    /// <summary>Reads one reply; gives its text (of an array or map: its elements, one a line); null for a
    /// null reply.</summary>
    /// <exception cref="LoadException">The reply is an error, is no RESP, or ends early.</exception>
    public string? Read()
    {
        string line = ReadLine();
        if (line.Length == 0) throw new LoadException("an empty line where a reply should start");
        string rest = line[1..];
        switch (line[0])
        {
            case '+' or ':' or ',' or '#' or '(': return rest;
            case '_': return null;
            case '-': throw new LoadException($"the server answered an error: {rest}");
            case '$' or '=': return ReadBulk(Number(rest));
            case '*' or '~': return ReadArray(Number(rest));
            case '%': return ReadArray(2 * Number(rest));
            default: throw new LoadException($"no reply: {line}");
        }
    }

    private static int Number(string text) =>
        int.TryParse(text, CultureInfo.InvariantCulture, out int number) && number is >= -1 and <= LengthMax
            ? number : throw new LoadException($"a length is no number: {text}");

    private string? ReadBulk(int length)
    {
        if (length < 0) return null;
        byte[] data = new byte[length + 2];
        stream.ReadExactly(data);
        if (data[length] != '\r' || data[length + 1] != '\n')
            throw new LoadException("a bulk string's end is missing");
        return Encoding.Latin1.GetString(data, 0, length);
    }

    private string? ReadArray(int count)
    {
        if (count < 0) return null;
        var text = new StringBuilder();
        for (int index = 0; index < count; index++) text.Append(Read()).Append('\n');
        return text.ToString();
    }

    // Byte by byte, so that not one past the reply is taken from a socket that goes on to other uses.
    private string ReadLine()
    {
        var line = new StringBuilder();
        while (true)
        {
            int next = stream.ReadByte();
            if (next < 0) throw new LoadException("the server closed the connection");
            if (next == '\n' && line.Length > 0 && line[^1] == '\r') return line.ToString(0, line.Length - 1);
            line.Append((char)next);
        }
    }
}
