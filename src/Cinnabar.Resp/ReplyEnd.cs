// ReplyReader starts over when its input was too short: for a reply that arrives in a thousand pieces it
// would make objects a thousand times, of more and more elements. So a caller that found a reply to be too
// short looks for its end first, which needs no objects and keeps its position:
//
//   *3  :1  %1  +a  $1 x  :2        _leftCounts before "$1 x": 0 (the reply itself has begun), 1 (of the
//                   ^               array: ":2"), 1 (of the map); ^ is _position
//
// An element that was incomplete is read again from its own start; of long text only the header is read,
// which holds its length.

namespace Cinnabar.Resp;

/// <summary>Finds the end of a reply that arrives in pieces.</summary>
public sealed class ReplyEnd
{
    private readonly Stack<long> _leftCounts = new();
    private int _position;

    /// <summary>Looks for the end of the reply at the start of the input.</summary>
    /// <param name="input">The input so far, no shorter than at the last call for the same reply.</param>
    /// <returns>False where the end has not arrived. True where it has, or where the input is malformed,
    /// which
    /// <see cref="ReplyReader.Read"/> reports; the next call is for another reply.</returns>
    public bool TryFind(ReadOnlySpan<byte> input)
    {
        Debug.Assert(input.Length >= _position, "the input does not shrink between calls for one reply");
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
            // The value that an attribute precedes follows.
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

    /// <summary>The length of an element without its items.</summary>
    /// <returns>Bytes; 0: it is incomplete; −1: it is malformed.</returns>
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
