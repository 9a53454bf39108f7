using System.Globalization;
using System.IO;
using System.Text;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>Reads replies of RESP2 and RESP3 from a stream.</summary>
public sealed class RespReader(Stream input)
{
    /// <summary>Reads one reply.</summary>
    public RespValue Read()
    {
        string line = ReadLine();
        char kind = line[0];
        string text = line[1..];
        switch (kind)
        {
            case '$' or '=' or '!' when text != "-1":
                return new RespValue(kind, ReadBytes(Number(text)), []);
            case '*' or '~' or '>' when text != "-1":
                return new RespValue(kind, "", ReadItems(Number(text)));
            case '%' or '|':
                return new RespValue(kind, "", ReadItems(Number(text) * 2));
            case '$' or '*':
                return new RespValue('_', "", []);
            default:
                return new RespValue(kind, text, []);
        }
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    private RespValue[] ReadItems(int count)
    {
        var items = new RespValue[count];
        for (int i = 0; i < count; i++) items[i] = Read();
        return items;
    }

    private string ReadBytes(int length)
    {
        var bytes = new byte[length + 2];
        input.ReadExactly(bytes);
        return Encoding.Latin1.GetString(bytes, 0, length);
    }

    private string ReadLine()
    {
        var line = new StringBuilder();
        for (int c = input.ReadByte(); c != '\n'; c = input.ReadByte())
        {
            if (c < 0) throw new EndOfStreamException("the server closed the connection");
            line.Append((char)c);
        }

        return line.ToString(0, line.Length - 1);
    }
}
