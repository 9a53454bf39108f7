namespace Cinnabar.Resp;

// Scans one command, RESP array or inline, without copying: the arguments point into the input.
//
// There are two paths. The fast one scans what nearly all input consists of, a complete array of arguments of
// up to 9,999 bytes: it loads eight bytes of a header at once, distinguishes one to four digits by masks, and
// never reads the bytes of an argument. Input that it does not recognise, or that is incomplete, it leaves to
// the resumable path, which goes on at the header where the fast one stopped.
//
// Loads of eight bytes near the end of the input are taken from its last eight bytes and shifted. So nothing
// is read outside [data, data + length), and short arguments at the very end stay fast. (Bytes are loaded as
// little-endian words, as everywhere in this code base.)
//
// The scan is as lenient as Redis's: after a number's CR, and after an argument, any bytes count as the line
// end, because they are skipped, not compared. One difference: a NUL byte in a line makes Redis wait for a
// line end that it never finds; here it is a byte like any other.

/// <summary>Finds the arguments of commands in a connection's input.</summary>
public static unsafe class RequestScanner
{
    private const int LineEndSize = 2;

    /// <summary>Scans one command at the start of the input.</summary>
    /// <param name="state">fresh, or as the last scan of the same command left it</param>
    /// <param name="data">first byte of the command</param>
    /// <param name="length">bytes there, at least 1; no fewer than when the last scan asked for more</param>
    /// <param name="arguments">receives the arguments; holds those found by earlier scans of this
    /// command</param>
    /// <param name="limits">what the connection may send</param>
    /// <param name="result">receives the fields that belong to the outcome</param>
    public static ScanOutcome Scan(
        ref ScanState state,
        byte* data,
        int length,
        ArgumentBuffer arguments,
        in ScanLimits limits,
        ref ScanResult result)
    {
        Debug.Assert(length >= 0, "no input has a negative length");
        Debug.Assert(length >= state.Position, "the input does not shrink between scans of a command");
        Debug.Assert(arguments.Count >= state.ArgumentsFound, "the buffer holds what earlier scans found");
        int count = 0;
        byte* p = length >= sizeof(ulong) && state.IsFresh ? ReadShortCount(data, limits, out count) : null;
        if (p == null)
        {
            return Resume(ref state, new ScanInput(data, length), arguments, limits, ref result);
        }

        int firstArgument = arguments.Count;
        if (firstArgument + count > arguments.Capacity)
        {
            arguments.EnsureCapacity(firstArgument + count);
        }

        Argument* start = arguments.Items + firstArgument;
        Argument* item = start;
        Argument* itemEnd = start + count;
        byte* end = data + length;
        do
        {
            byte* payload = ReadShortHeader(p, end, out int size);
            if (payload == null || end - payload < size + LineEndSize)
            {
                arguments.Count = firstArgument + (int)(item - start);
                LeaveFastPath(ref state, data, (int)(p - data), start, item);
                state.ArgumentsLeft = (int)(itemEnd - item);
                return Resume(ref state, new ScanInput(data, length), arguments, limits, ref result);
            }

            item->Data = payload;
            *(ulong*)&item->Length = (uint)size;
            item->Hash = 0;
            p = payload + size + LineEndSize;
            item++;
        }
        while (item != itemEnd);

        arguments.Count = firstArgument + count;
        result.FirstArgument = firstArgument;
        result.ArgumentCount = count;
        result.Consumed = (int)(p - data);
        return ScanOutcome.Command;
    }

    /// <summary>Reads <c>*n CRLF</c> with one or two digits.</summary>
    /// <returns>What follows; null where the input is different.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static byte* ReadShortCount(byte* data, in ScanLimits limits, out int count)
    {
        // SAFETY: the caller checked that the input has at least eight bytes.
        ulong head = Unsafe.ReadUnaligned<ulong>(data);
        uint first = (uint)(head >> 8 & 0xFF) - '1';
        if ((head & 0xFFFF00FF) == 0x0A0D002A)
        {
            count = (int)first + 1;
            return first <= 8 ? data + 4 : null;
        }

        uint second = (uint)(head >> 16 & 0xFF) - '0';
        count = (int)(first * 10 + second + 10);
        bool isShort = (head & 0xFF_FF00_00FF) == 0x0A_0D00_002A && first <= 8 && second <= 9;
        return isShort && (count <= ScanLimits.UnauthenticatedArgumentsMax || !limits.IsAuthenticationPending)
            ? data + 5
            : null;
    }

    /// <summary>Reads <c>$n CRLF</c> with one to four digits, of an input of at least eight bytes.</summary>
    /// <returns>What follows; null where the input is different.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* ReadShortHeader(byte* p, byte* end, out int size)
    {
        // SAFETY: the input has at least eight bytes, so that end - 8 lies in it.
        long left = end - p;
        ulong header;
        if (left >= sizeof(ulong))
        {
            header = Unsafe.ReadUnaligned<ulong>(p);
        }
        else if (left > 0)
        {
            header = Unsafe.ReadUnaligned<ulong>(end - sizeof(ulong)) >> (int)(64 - left * 8);
        }
        else
        {
            size = 0;
            return null;
        }

        uint first = (uint)(header >> 8 & 0xFF) - '0';
        if ((header & 0xFFFF00FF) == 0x0A0D0024)
        {
            size = (int)first;
            return first <= 9 ? p + 4 : null;
        }

        uint second = (uint)(header >> 16 & 0xFF) - '0';
        if ((header & 0xFF_FF00_00FF) == 0x0A_0D00_0024)
        {
            size = (int)(first * 10 + second);
            return first - 1 <= 8 && second <= 9 ? p + 5 : null;
        }

        uint third = (uint)(header >> 24 & 0xFF) - '0';
        size = (int)(first * 100 + second * 10 + third);
        bool areDigits = first - 1 <= 8 && second <= 9 && third <= 9;
        if ((header & 0xFFFF_0000_00FF) == 0x0A0D_0000_0024)
        {
            return areDigits ? p + 6 : null;
        }

        uint fourth = (uint)(header >> 32 & 0xFF) - '0';
        size = (int)((uint)size * 10 + fourth);
        return (header & 0xFF_FF00_0000_00FF) == 0x0A_0D00_0000_0024 && areDigits && fourth <= 9
            ? p + 7
            : null;
    }

    private static void LeaveFastPath(
        ref ScanState state, byte* data, int position, Argument* item, Argument* itemEnd)
    {
        Debug.Assert(state.Phase == ScanPhase.Start, "the fast path begins at a command");
        state.Phase = ScanPhase.BulkHeader;
        state.Position = position;
        state.ArgumentsFound = (int)(itemEnd - item);
        for (; item != itemEnd; item++)
        {
            item->Data = (byte*)(item->Data - data);
        }
    }

    private static ScanOutcome Resume(
        ref ScanState state,
        in ScanInput input,
        ArgumentBuffer arguments,
        in ScanLimits limits,
        ref ScanResult result)
    {
        ScanOutcome outcome;
        if (state.Phase == ScanPhase.Start)
        {
            if (input.Length > 0 && input.Data[0] != '*')
            {
                return InlineScanner.Scan(ref state, input, arguments, ref result);
            }

            outcome = ReadCount(ref state, input, limits, ref result);
            if (outcome != ScanOutcome.Command)
            {
                return outcome;
            }
        }

        outcome = ReadArguments(ref state, input, arguments, limits, ref result);
        if (outcome == ScanOutcome.Command)
        {
            Complete(ref state, input, arguments, ref result);
        }
        else if (outcome == ScanOutcome.ProtocolError)
        {
            arguments.Count -= state.ArgumentsFound;
            state = default;
        }

        return outcome;
    }

    /// <summary>Reads <c>*n</c>. Command: the arguments follow.</summary>
    private static ScanOutcome ReadCount(
        ref ScanState state, in ScanInput input, in ScanLimits limits, ref ScanResult result)
    {
        int lineEnd = FindLineEnd(ref state, input, ref result);
        if (lineEnd < 0)
        {
            return input.Length > ScanLimits.LineBytesMax && state.LineSearched == input.Length
                ? Fail(ref state, ref result, ScanError.MultibulkCountTooBig)
                : ScanOutcome.NeedMore;
        }

        if (!RedisNumber.TryParseInt64(new ReadOnlySpan<byte>(input.Data + 1, lineEnd - 1), out long count)
            || count > int.MaxValue)
        {
            return Fail(ref state, ref result, ScanError.InvalidMultibulkLength);
        }

        if (count > ScanLimits.UnauthenticatedArgumentsMax && limits.IsAuthenticationPending)
        {
            return Fail(ref state, ref result, ScanError.UnauthenticatedMultibulkLength);
        }

        if (count <= 0)
        {
            state = default;
            result.Consumed = lineEnd + LineEndSize;
            return ScanOutcome.Empty;
        }

        state.Phase = ScanPhase.BulkHeader;
        state.Position = lineEnd + LineEndSize;
        state.LineSearched = 0;
        state.ArgumentsLeft = (int)count;
        return ScanOutcome.Command;
    }

    private static ScanOutcome ReadArguments(
        ref ScanState state,
        in ScanInput input,
        ArgumentBuffer arguments,
        in ScanLimits limits,
        ref ScanResult result)
    {
        if (state.Phase == ScanPhase.LineEndAfterBig)
        {
            if (input.Length - state.Position < LineEndSize)
            {
                return NeedMore(ref result, state.Position + LineEndSize - input.Length);
            }

            state.Position += LineEndSize;
            state.Phase = ScanPhase.BulkHeader;
        }

        while (state.ArgumentsLeft > 0)
        {
            if (state.Phase == ScanPhase.BulkHeader)
            {
                ScanOutcome header = ReadBulkHeader(ref state, input, limits, ref result);
                if (header != ScanOutcome.Command)
                {
                    return header;
                }
            }

            Debug.Assert(state.Phase == ScanPhase.Payload, "an argument's header comes before its bytes");
            int available = input.Length - state.Position;
            if (available - LineEndSize < state.BulkLength)
            {
                return available < state.BulkLength && state.BulkLength >= limits.BigArgumentBytes
                    ? Big(state, available, ref result)
                    : NeedMore(ref result, (long)state.BulkLength + LineEndSize - available);
            }

            arguments.Append((byte*)state.Position, state.BulkLength, 0);
            state.Position += state.BulkLength + LineEndSize;
            state.ArgumentsFound++;
            state.ArgumentsLeft--;
            state.Phase = ScanPhase.BulkHeader;
        }

        return ScanOutcome.Command;
    }

    /// <summary>Reads <c>$n</c>. Command: the argument's bytes follow.</summary>
    private static ScanOutcome ReadBulkHeader(
        ref ScanState state, in ScanInput input, in ScanLimits limits, ref ScanResult result)
    {
        int lineEnd = FindLineEnd(ref state, input, ref result);
        if (lineEnd < 0)
        {
            bool isTooBig = input.Length - state.Position > ScanLimits.LineBytesMax
                && state.LineSearched == input.Length - state.Position;
            return isTooBig ? Fail(ref state, ref result, ScanError.BulkCountTooBig) : ScanOutcome.NeedMore;
        }

        byte* line = input.Data + state.Position;
        if (*line != '$')
        {
            result.ErrorByte = *line;
            return Fail(ref state, ref result, ScanError.ExpectedDollar);
        }

        int digitsLength = lineEnd - state.Position - 1;
        if (!RedisNumber.TryParseInt64(new ReadOnlySpan<byte>(line + 1, digitsLength), out long size)
            || size < 0
            || size > limits.BulkBytesMax)
        {
            return Fail(ref state, ref result, ScanError.InvalidBulkLength);
        }

        if (size > ScanLimits.UnauthenticatedBulkBytesMax && limits.IsAuthenticationPending)
        {
            return Fail(ref state, ref result, ScanError.UnauthenticatedBulkLength);
        }

        state.Position = lineEnd + LineEndSize;
        state.LineSearched = 0;
        state.BulkLength = (int)size;
        state.Phase = ScanPhase.Payload;
        return ScanOutcome.Command;
    }

    /// <summary>Finds the CR of the line at the state's position, if at least one more byte follows it; else
    /// −1, and the state keeps how much of the line has been searched.</summary>
    private static int FindLineEnd(ref ScanState state, in ScanInput input, ref ScanResult result)
    {
        int start = state.Position + state.LineSearched;
        Debug.Assert(start <= input.Length, "a line is searched within the input");
        int found = new ReadOnlySpan<byte>(input.Data + start, input.Length - start).IndexOf((byte)'\r');
        if (found >= 0 && start + found + 1 < input.Length)
        {
            return start + found;
        }

        state.LineSearched = found < 0 ? input.Length - state.Position : start + found - state.Position;
        result.BytesNeededMin = 1;
        return -1;
    }

    private static void Complete(
        ref ScanState state, in ScanInput input, ArgumentBuffer arguments, ref ScanResult result)
    {
        int count = state.ArgumentsFound;
        Debug.Assert(count > 0 && state.ArgumentsLeft == 0, "a complete command has all its arguments");
        Debug.Assert(state.Position <= input.Length, "a command ends within its input");
        result.FirstArgument = arguments.Count - count;
        result.ArgumentCount = count;
        result.Consumed = state.Position;
        Argument* item = arguments.Items + result.FirstArgument;
        for (Argument* end = item + count; item != end; item++)
        {
            if ((item->Flags & ArgumentFlags.External) == 0)
            {
                item->Data = input.Data + (nint)item->Data;
            }
        }

        state = default;
    }

    private static ScanOutcome Big(in ScanState state, int available, ref ScanResult result)
    {
        result.BigLength = state.BulkLength;
        result.BigOffset = state.Position;
        result.BigAvailable = available;
        return ScanOutcome.BigArgument;
    }

    private static ScanOutcome NeedMore(ref ScanResult result, long bytesNeededMin)
    {
        result.BytesNeededMin = (int)Math.Min(bytesNeededMin, int.MaxValue);
        return ScanOutcome.NeedMore;
    }

    /// <summary>Sets the error; <see cref="Resume"/> drops the arguments found and resets the
    /// state.</summary>
    private static ScanOutcome Fail(ref ScanState state, ref ScanResult result, ScanError error)
    {
        result.Error = error;
        if (state.Phase == ScanPhase.Start)
        {
            state = default;
        }

        return ScanOutcome.ProtocolError;
    }
}
