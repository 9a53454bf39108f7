using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Cinnabar.Load.Replies;

/// <summary>
/// Counts the replies in a stream of bytes that is cut anywhere. It reads headers byte by byte and skips the
/// bodies of bulk strings.
///
/// Knows every type of RESP2 and RESP3. A reply is over when as many values have ended as its headers
/// announced, so no stack is needed, only a count: an array of n adds n values to come, a map of n adds 2 n.
/// An attribute's values belong to no reply and are counted apart, a push message is skipped and is no reply.
/// Counted besides: replies that are an error, and those that are null (a key that is missing); values within
/// an array are not counted. Streamed strings and aggregates ($?, *?), which RESP3 describes and no server
/// sends, are refused.
///
/// A value of its own for every connection; never copy one that is in use.
/// </summary>
internal unsafe struct ReplySkipper
{
    private const long LengthMax = 1L << 32;
    private const int ErrorTextMax = 120;
    private const int ShortestPlain = 5;
    private static readonly uint s_okAndReturn = MemoryMarshal.Read<uint>("+OK\r"u8);
    private long _bodyLeft;
    private long _number;
    private long _open;
    private long _attributeOpen;
    private byte _type;
    private bool _isNegative;
    private bool _isInside;
    private bool _isPush;
    private StringBuilder? _error;

    /// <summary>How many replies were errors.</summary>
    public long ErrorCount { get; private set; }

    /// <summary>How many replies were null.</summary>
    public long MissingCount { get; private set; }

    /// <summary>The first error's text, as far as it was kept; null where there was none.</summary>
    public readonly string? FirstError => _error?.ToString();

    /// <summary>Looks at what was received; gives how many replies ended in it.</summary>
    /// <exception cref="LoadException">This is no RESP.</exception>
    // SAFETY: reads data[0] to data[size - 1] only; a body is jumped over no further than that.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int Consume(byte* data, int size)
    {
        byte* at = data;
        byte* end = data + size;
        int replies = 0;
        // A fast path without state for most replies: a whole bulk string, or OK.
        if (_type == 0 && _bodyLeft == 0 && !_isInside && _attributeOpen == 0 && !_isPush)
            at = SkipPlain(at, end, ref replies);
        while (at < end)
        {
            if (_bodyLeft > 0)
            {
                long taken = Math.Min(_bodyLeft, end - at);
                at += taken;
                _bodyLeft -= taken;
                if (_bodyLeft > 0) break;
                if (at[-1] != '\n') throw new LoadException("a bulk string does not end where it should");
                replies += EndValue(0);
                continue;
            }
            if (_type == 0) _type = *at++;
            // In locals, so that a header costs its bytes and no memory.
            long number = _number;
            byte letter = 0;
            bool isError = _type == '-' && ErrorCount == 0;
            while (at < end && (letter = *at++) != '\n')
            {
                if ((uint)(letter - '0') <= 9) number = number * 10 + (letter - '0');
                else if (letter == '-') _isNegative = true;
                else if (letter == '?' && _type is (byte)'$' or (byte)'*' or (byte)'%' or (byte)'~')
                    throw new LoadException("a streamed reply, which no server is known to send");
                if (isError) Keep(letter);
            }
            _number = number;
            if (letter == '\n') replies += EndHeader();
        }
        return replies;
    }

    // Gives the position of another or an incomplete reply.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static byte* SkipPlain(byte* at, byte* end, ref int replies)
    {
        while (end - at >= ShortestPlain)
        {
            if (*at == '$')
            {
                byte* digit = at + 1;
                long length = 0;
                while (digit < end && (uint)(*digit - '0') <= 9 && length < LengthMax)
                    length = length * 10 + (*digit++ - '0');
                // What follows: \r\n, the body, \r\n.
                if (digit == at + 1 || end - digit < length + 4 || *digit != '\r') return at;
                if (digit[length + 3] != '\n') return at;
                at = digit + length + 4;
            }
            else if (Unsafe.ReadUnaligned<uint>(at) == s_okAndReturn && at[4] == '\n') at += 5;
            else return at;
            replies++;
        }
        return at;
    }

    private int EndHeader()
    {
        byte type = _type;
        long number = _number;
        bool isNull = _isNegative;
        (_type, _number, _isNegative) = (0, 0, false);
        switch (type)
        {
            case (byte)'+' or (byte)':' or (byte)'#' or (byte)',' or (byte)'(': return EndValue(0);
            case (byte)'-': return EndError();
            case (byte)'_': return EndNull();
            case (byte)'$' or (byte)'=' or (byte)'!':
                if (isNull) return EndNull();
                if (type == '!' && IsReply) ErrorCount++;
                _bodyLeft = Checked(number) + 2;
                return 0;
            case (byte)'*' or (byte)'~' or (byte)'>':
                if (isNull) return EndNull();
                if (type == '>' && IsReply) _isPush = true;
                return EndValue(Checked(number));
            case (byte)'%': return EndValue(2 * Checked(number));
            case (byte)'|': return BeginAttribute(2 * Checked(number));
            default: throw new LoadException($"no reply begins with the byte {type}");
        }
    }

    // Whether the value at hand is a reply itself, not a part of one or of an attribute.
    private readonly bool IsReply => !_isInside && _attributeOpen == 0;

    private int EndError()
    {
        if (IsReply) ErrorCount++;
        return EndValue(0);
    }

    private int EndNull()
    {
        if (IsReply) MissingCount++;
        return EndValue(0);
    }

    private int BeginAttribute(long valueCount)
    {
        // Before a reply it is counted apart; within one its values are some more of the reply's.
        if (IsReply) _attributeOpen = valueCount;
        else if (_attributeOpen > 0) _attributeOpen += valueCount;
        else _open += valueCount;
        return 0;
    }

    // A value has ended, or announced further values; 1 if it was the last of a reply.
    private int EndValue(long more)
    {
        if (_attributeOpen > 0)
        {
            _attributeOpen += more - 1;
            return 0;
        }
        _open += _isInside ? more - 1 : more;
        _isInside = _open > 0;
        if (_isInside) return 0;
        bool isPush = _isPush;
        _isPush = false;
        return isPush ? 0 : 1;
    }

    private static long Checked(long length) => length is >= 0 and <= LengthMax ? length
        : throw new LoadException($"no reply is {length} long");

    private void Keep(byte letter)
    {
        _error ??= new StringBuilder();
        if (_error.Length < ErrorTextMax && letter != '\r') _error.Append((char)letter);
    }
}
