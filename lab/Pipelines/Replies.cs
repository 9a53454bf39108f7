using System;
using System.Buffers;
using System.Buffers.Text;
using System.IO.Pipelines;
using System.Text;

namespace Cinnabar.Lab.Pipelines;

/// <summary>Writes replies into a pipe.</summary>
internal static class Replies
{
    private const int HeaderSizeMax = 16;

    public static void Nil(PipeWriter output) => output.Write("$-1\r\n"u8);

    public static void Ok(PipeWriter output) => output.Write("+OK\r\n"u8);

    public static void Pong(PipeWriter output) => output.Write("+PONG\r\n"u8);

    public static void Bulk(PipeWriter output, ReadOnlySpan<byte> value)
    {
        Header(output, value.Length);
        output.Write(value);
        output.Write("\r\n"u8);
    }

    /// <summary>A string of which each character is a byte.</summary>
    public static void Bulk(PipeWriter output, string value)
    {
        Header(output, value.Length);
        Encoding.Latin1.GetBytes(value, output);
        output.Write("\r\n"u8);
    }

    private static void Header(PipeWriter output, int size)
    {
        Span<byte> header = output.GetSpan(HeaderSizeMax);
        header[0] = (byte)'$';
        Utf8Formatter.TryFormat(size, header[1..], out int digitCount);
        header[digitCount + 1] = (byte)'\r';
        header[digitCount + 2] = (byte)'\n';
        output.Advance(digitCount + 3);
    }
}
