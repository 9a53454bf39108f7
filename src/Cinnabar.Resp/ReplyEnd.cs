// ReplyReader starts over when its input was too short: of a reply that comes in a thousand pieces it would
// make objects a thousand times, of ever more elements. So who has found a reply to be too short looks for
// its end first, which needs no objects and remembers how far it has come:
//
//   *3  :1  %1  +a  $1 x  :2        _leftCounts while "$1 x" is due: 0 (the reply itself has begun), 1 (of
//                   ^               the array: ":2"), 1 (of the map); ^ is _position
//
// An element is looked at again from its own start when it was not whole; where that is long text its header
// tells how long, and no more than that is looked at.

using System;
using System.Collections.Generic;

namespace Cinnabar.Resp;

/// <summary>Finds where a reply ends that comes in pieces.</summary>
public sealed class ReplyEnd
{
    private readonly Stack<long> _leftCounts = new();
    private int _position;

    /// <summary>Looks for the end of the reply at the start of the input.</summary>
    /// <param name="input">What has come: no less than when this was last asked in vain.</param>
    /// <returns>False where it is not there yet. True where it is, or where this is no reply, and
    /// <see cref="ReplyReader.Read"/> is to say so; the next question is about another reply.</returns>
    public bool TryFind(ReadOnlySpan<byte> input)
    {
        if (_leftCounts.Count == 0)
            _leftCounts.Push(1);
        while (_leftCounts.Count > 0)
        {
            int length = LengthOfElement(input[_position..], out long itemCount, out bool isAttribute);
            if (length == 0)
                return false;
            if (length < 0)
                break;
            _position += length;
            // What an attribute precedes is still to come.
            Count(isAttribute ? 0 : -1);
            if (itemCount > 0)
                _leftCounts.Push(itemCount);
            while (_leftCounts.Count > 0 && _leftCounts.Peek() == 0)
                _leftCounts.Pop();
        }

        _leftCounts.Clear();
        _position = 0;
        return true;
    }

    private void Count(int change) => _leftCounts.Push(_leftCounts.Pop() + change);

    /// <summary>How long an element is, without its items.</summary>
    /// <returns>Its length; 0: it is not whole; −1: it is none.</returns>
    private static int LengthOfElement(ReadOnlySpan<byte> input, out long itemCount, out bool isAttribute)
    {
        (itemCount, isAttribute) = (0, false);
        int end = input.IndexOf("\r\n"u8);
        if (end < 0)
            return 0;
        int length = end + 2;
        byte kind = end == 0 ? (byte)0 : input[0];
        isAttribute = kind == '|';
        if (kind == 0)
            return -1;
        if (!"$=!*%~>|"u8.Contains(kind))
            return length;
        if (!RedisNumber.TryParseInt64(input[1..end], out long number) || number is < -1 or > int.MaxValue)
            return -1;
        if (kind is (byte)'$' or (byte)'=' or (byte)'!')
        {
            long whole = number < 0 ? length : length + number + 2;
            return whole <= input.Length ? (int)whole : 0;
        }

        itemCount = kind is (byte)'%' or (byte)'|' ? 2 * number : number;
        return length;
    }
}
