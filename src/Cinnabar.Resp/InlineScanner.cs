namespace Cinnabar.Resp;

// Inline commands: what people type into telnet. A line is split at white space. "..." knows the escapes \n
// \r \t \b \a \xHH, any other escaped byte is literal; '...' knows only \'. A quote may begin within a word
// (a"b c" is one word), but must end it: "a"b is an error. Six bytes are white space between words, but only
// space, tab, CR and LF end a word.
//
// A word without quotes is a view of the input; one with quotes is unquoted into scratch memory, which never
// needs more bytes than the rest of the line.

/// <summary>Splits inline commands.</summary>
internal static unsafe class InlineScanner
{
    // SAFETY: every pointer lies in the line, which ends before the input does; a byte is read only after
    // the pointer was compared with the line's end. Scratch memory has as many bytes as the rest of the line.
    internal static ScanOutcome Scan(
        ref ScanState state, in ScanInput input, ArgumentBuffer arguments, ref ScanResult result)
    {
        Debug.Assert(state.ArgumentsFound == 0, "half an inline command has no arguments yet");
        Debug.Assert(state.LineSearched <= input.Length, "the input does not shrink between scans");
        byte* data = input.Data;
        int length = input.Length;
        int start = state.LineSearched;
        int found = new ReadOnlySpan<byte>(data + start, length - start).IndexOf((byte)'\n');
        if (found < 0)
        {
            if (length > ScanLimits.LineBytesMax)
            {
                state = default;
                result.Error = ScanError.InlineTooBig;
                return ScanOutcome.ProtocolError;
            }

            state.LineSearched = length;
            result.BytesNeededMin = 1;
            return ScanOutcome.NeedMore;
        }

        state = default;
        int lineLength = start + found;
        result.Consumed = lineLength + 1;
        result.FirstArgument = arguments.Count;
        byte* end = data + lineLength;
        byte* p = data;
        while (true)
        {
            while (p != end && IsSpace(*p))
            {
                p++;
            }

            if (p == end)
            {
                break;
            }

            p = ReadWord(p, end, arguments);
            if (p == null)
            {
                arguments.Count = result.FirstArgument;
                result.Error = ScanError.UnbalancedQuotes;
                return ScanOutcome.ProtocolError;
            }
        }

        result.ArgumentCount = arguments.Count - result.FirstArgument;
        return result.ArgumentCount == 0 ? ScanOutcome.Empty : ScanOutcome.Command;
    }

    /// <summary>Appends the word at <paramref name="p"/>; returns where it ends, or null.</summary>
    private static byte* ReadWord(byte* p, byte* end, ArgumentBuffer arguments)
    {
        byte* start = p;
        while (p != end && !EndsWord(*p))
        {
            if (*p is (byte)'"' or (byte)'\'')
            {
                return ReadQuotedWord(start, end, arguments);
            }

            p++;
        }

        arguments.Append(start, (int)(p - start), 0);
        return p;
    }

    private static byte* ReadQuotedWord(byte* p, byte* end, ArgumentBuffer arguments)
    {
        byte* start = arguments.AllocateScratch((int)(end - p));
        byte* output = start;
        while (p != end && !EndsWord(*p))
        {
            byte c = *p++;
            if (c is not ((byte)'"' or (byte)'\''))
            {
                *output++ = c;
                continue;
            }

            p = c == '"' ? Unescape(p, end, ref output) : CopyToQuote(p, end, ref output);
            if (p == null || (p != end && !IsSpace(*p)))
            {
                return null;
            }

            break;
        }

        arguments.Append(start, (int)(output - start), 0);
        return p;
    }

    /// <summary>Reads the inside of double quotes; returns what follows the closing one, or null.</summary>
    private static byte* Unescape(byte* p, byte* end, ref byte* output)
    {
        while (p != end)
        {
            byte c = *p++;
            if (c == '"')
            {
                return p;
            }

            if (c == '\\' && p != end)
            {
                int high = end - p >= 3 && *p == 'x' ? HexDigit(p[1]) : -1;
                int low = high >= 0 ? HexDigit(p[2]) : -1;
                if (low >= 0)
                {
                    c = (byte)(high << 4 | low);
                    p += 3;
                }
                else
                {
                    c = *p++ switch
                    {
                        (byte)'n' => (byte)'\n',
                        (byte)'r' => (byte)'\r',
                        (byte)'t' => (byte)'\t',
                        (byte)'b' => (byte)'\b',
                        (byte)'a' => (byte)'\a',
                        byte other => other,
                    };
                }
            }

            *output++ = c;
        }

        return null;
    }

    /// <summary>Reads the inside of single quotes; returns what follows the closing one, or null.</summary>
    private static byte* CopyToQuote(byte* p, byte* end, ref byte* output)
    {
        while (p != end)
        {
            byte c = *p++;
            if (c == '\'')
            {
                return p;
            }

            if (c == '\\' && p != end && *p == '\'')
            {
                c = *p++;
            }

            *output++ = c;
        }

        return null;
    }

    private static bool IsSpace(byte c) => c is (byte)' ' or (>= (byte)'\t' and <= (byte)'\r');

    private static bool EndsWord(byte c) => c is (byte)' ' or (byte)'\t' or (byte)'\r' or (byte)'\n';

    private static int HexDigit(byte c) => c switch
    {
        >= (byte)'0' and <= (byte)'9' => c - '0',
        >= (byte)'a' and <= (byte)'f' => c - 'a' + 10,
        >= (byte)'A' and <= (byte)'F' => c - 'A' + 10,
        _ => -1,
    };
}
