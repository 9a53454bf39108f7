using System.Buffers.Text;

namespace Cinnabar.Wire;

/// <summary>Commands as a client sends them.</summary>
internal static class RequestFrame
{
    private const int HeaderSizeMax = 16;

    /// <summary>The bytes of a command.</summary>
    /// <param name="arguments">The command and its arguments.</param>
    /// <exception cref="ArgumentNullException">One of them is null.</exception>
    public static byte[] Make(ReadOnlySpan<byte[]> arguments)
    {
        Debug.Assert(!arguments.IsEmpty, "a command has a name");
        int size = HeaderSizeMax;
        foreach (byte[] argument in arguments)
        {
            ArgumentNullException.ThrowIfNull(argument, nameof(arguments));
            size = checked(size + argument.Length + HeaderSizeMax + 2);
        }

        var frame = new byte[size];
        int position = PutHeader(frame, (byte)'*', arguments.Length);
        foreach (byte[] argument in arguments)
        {
            position += PutHeader(frame.AsSpan(position), (byte)'$', argument.Length);
            argument.CopyTo(frame, position);
            position += argument.Length;
            frame[position++] = (byte)'\r';
            frame[position++] = (byte)'\n';
        }

        return frame[..position];
    }

    /// <summary>Words as arguments, in UTF-8.</summary>
    public static byte[][] Encode(string[] words) => Array.ConvertAll(words, Encoding.UTF8.GetBytes);

    private static int PutHeader(Span<byte> target, byte kind, int number)
    {
        target[0] = kind;
        Utf8Formatter.TryFormat(number, target[1..], out int length);
        target[length + 1] = (byte)'\r';
        target[length + 2] = (byte)'\n';
        return length + 3;
    }
}
