using System;
using System.IO;
using System.Text;

namespace Cinnabar.Bench.Load;

/// <summary>Reads RESP2 replies one by one, for checks and for questions outside a measurement.</summary>
internal sealed class ReplyReader(Stream stream)
{
    private readonly BufferedStream _stream = new(stream, 65536);

    /// <summary>Reads one reply; gives its text (of an array: its elements, one a line) and adds its bytes to
    /// <paramref name="size"/>.</summary>
    /// <exception cref="LoadException">The reply is an error, is no RESP2, or ends early.</exception>
    public string? Read(ref int size)
    {
        string line = ReadLine(ref size);
        if (line.Length == 0) throw new LoadException("an empty line where a reply should start");
        string rest = line[1..];
        switch (line[0])
        {
            case '+' or ':': return rest;
            case '-': throw new LoadException($"the server answered an error: {rest}");
            case '$': return ReadBulk(Number(rest), ref size);
            case '*': return ReadArray(Number(rest), ref size);
            default: throw new LoadException($"no reply of RESP2: {line}");
        }
    }

    private static int Number(string text) => int.TryParse(text, out int number) ? number
        : throw new LoadException($"a length is no number: {text}");

    private string? ReadBulk(int length, ref int size)
    {
        if (length < 0) return null;
        byte[] data = new byte[length + 2];
        _stream.ReadExactly(data);
        size += data.Length;
        if (data[length] != '\r' || data[length + 1] != '\n')
            throw new LoadException("a bulk string's end is missing");
        return Encoding.Latin1.GetString(data, 0, length);
    }

    private string? ReadArray(int count, ref int size)
    {
        if (count < 0) return null;
        var text = new StringBuilder();
        for (int index = 0; index < count; index++) text.Append(Read(ref size)).Append('\n');
        return text.ToString();
    }

    private string ReadLine(ref int size)
    {
        var line = new StringBuilder();
        while (true)
        {
            int next = _stream.ReadByte();
            if (next < 0) throw new LoadException("the server closed the connection");
            size++;
            if (next == '\n' && line.Length > 0 && line[^1] == '\r') return line.ToString(0, line.Length - 1);
            line.Append((char)next);
        }
    }
}
