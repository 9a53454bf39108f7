namespace Cinnabar.Resp;

/// <summary>Commands as clients send them: arrays of bulk strings.</summary>
public static unsafe class CommandText
{
    /// <summary>Bytes around an argument besides its digits: "$", and the ends of two lines.</summary>
    private const int FrameSize = 5;

    /// <summary>Bytes before the arguments besides the digits of their count.</summary>
    private const int HeadSize = 3;

    /// <summary>The length of a command's text, in bytes.</summary>
    public static long LengthOf(ArgumentList arguments)
    {
        long length = LengthOfHead(arguments.Count);
        for (int index = 0; index < arguments.Count; index++)
            length += LengthOfArgument(arguments[index].Length);
        return length;
    }

    /// <summary>The length of an argument's text, in bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long LengthOfArgument(long length) => length + FrameSize + DigitCount(length);

    /// <summary>The length of the text before the first argument, in bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int LengthOfHead(int argumentCount) => HeadSize + DigitCount(argumentCount);

    /// <summary>Writes a command.</summary>
    /// <param name="output">Room for <see cref="LengthOf"/>.</param>
    /// <param name="arguments">The command.</param>
    /// <returns>Behind the last byte.</returns>
    public static byte* Write(byte* output, ArgumentList arguments)
    {
        output = WriteHead(output, arguments.Count);
        for (int index = 0; index < arguments.Count; index++)
        {
            ref Argument argument = ref arguments[index];
            output = WriteArgument(output, argument.Data, argument.Length);
        }

        return output;
    }

    /// <summary>The text of a command of words, each of whose characters is a byte.</summary>
    public static byte[] Of(ReadOnlySpan<string> words)
    {
        long length = LengthOfHead(words.Length);
        foreach (string word in words)
            length += LengthOfArgument(word.Length);
        byte[] text = new byte[length];
        // SAFETY: the array has the text's length.
        fixed (byte* start = text)
        {
            byte* output = WriteHead(start, words.Length);
            foreach (string word in words)
                output = WriteArgument(output, Encoding.Latin1.GetBytes(word));
            Debug.Assert(output == start + length, "the text has another length");
        }

        return text;
    }

    /// <summary>Writes what precedes the first argument.</summary>
    /// <param name="output">Room for <see cref="LengthOfHead"/>.</param>
    /// <param name="argumentCount">The count of arguments, the name included.</param>
    /// <returns>Behind the last byte.</returns>
    public static byte* WriteHead(byte* output, int argumentCount)
    {
        *output = (byte)'*';
        return EndLine(WriteDigits(output + 1, argumentCount));
    }

    /// <summary>Writes an argument.</summary>
    /// <param name="output">Room for <see cref="LengthOfArgument"/>.</param>
    /// <param name="argument">Its bytes.</param>
    /// <returns>Behind the last byte.</returns>
    // SAFETY: the caller has room for the text; this writes no byte behind it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* WriteArgument(byte* output, ReadOnlySpan<byte> argument)
    {
        fixed (byte* data = argument)
            return WriteArgument(output, data, argument.Length);
    }

    /// <summary>Writes what precedes an argument's bytes; <see cref="EndLine"/> follows these.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* WriteArgumentHead(byte* output, int length)
    {
        *output = (byte)'$';
        return EndLine(WriteDigits(output + 1, length));
    }

    // Every write that is recorded comes through here. The head of most arguments is made in a register and
    // written as a word, whose last bytes the argument's own then replace; and short ones are copied by two
    // words that may overlap, instead of by a call.
    // SAFETY: as the public form; a head that is written as a word has two bytes of argument and the end of a
    // line behind it.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* WriteArgument(byte* output, byte* data, int length)
    {
        const uint Line = '\r' | '\n' << 8;
        if (length is >= 2 and < 10)
        {
            *(ulong*)output = '$' | (ulong)('0' + length) << 8 | (ulong)Line << 16;
            output += 4;
        }
        else if (length is >= 10 and < 100)
        {
            (int tens, int ones) = Math.DivRem(length, 10);
            *(ulong*)output = '$' | (ulong)('0' + tens) << 8 | (ulong)('0' + ones) << 16 | (ulong)Line << 24;
            output += 5;
        }
        else
        {
            output = WriteArgumentHead(output, length);
        }

        if (length is >= sizeof(ulong) and <= 2 * sizeof(ulong))
        {
            ulong last = *(ulong*)(data + length - sizeof(ulong));
            *(ulong*)output = *(ulong*)data;
            *(ulong*)(output + length - sizeof(ulong)) = last;
        }
        else if (length < sizeof(ulong))
        {
            for (int index = 0; index < length; index++)
                output[index] = data[index];
        }
        else
        {
            Unsafe.CopyBlockUnaligned(output, data, (uint)length);
        }

        return EndLine(output + length);
    }

    /// <summary>Ends a line, or an argument.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* EndLine(byte* output)
    {
        output[0] = (byte)'\r';
        output[1] = (byte)'\n';
        return output + 2;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int DigitCount(long value) => value < 10 ? 1 : value < 100 ? 2
        : RedisNumber.DigitCount((ulong)value);

    // No byte behind the digits is written: the space may end there.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* WriteDigits(byte* output, int value)
    {
        if (value >= 10)
            return WriteMore(output, value);
        *output = (byte)('0' + value);
        return output + 1;
    }

    private static byte* WriteMore(byte* output, int value)
    {
        byte* end = output + DigitCount(value);
        for (byte* place = end - 1; place >= output; place--)
        {
            (value, int digit) = Math.DivRem(value, 10);
            *place = (byte)('0' + digit);
        }

        return end;
    }
}
