namespace Cinnabar.Resp;

// The client's side of the protocol, for tests, tools and the in-process client: replies of both versions
// become trees of objects. It is strict where a client may be: lines end in CR LF, lengths are plain
// numbers, and a boolean is t or f. Attributes are attached to the reply they precede.
//
// It starts over when the input was too short, which keeps it simple but is quadratic for big replies in
// small pieces, so a caller looks for the end first (ReplyEnd). Nesting is limited because each level is a
// recursion; nothing is allocated for lengths that were only announced.

/// <summary>Reads replies.</summary>
public ref struct ReplyReader
{
    /// <summary>The deepest nesting of replies.</summary>
    public const int DepthMax = 128;

    private readonly ReadOnlySpan<byte> _input;
    private int _position;

    private ReplyReader(ReadOnlySpan<byte> input)
    {
        _input = input;
    }

    /// <summary>Reads one reply from the start of the input.</summary>
    /// <param name="input">bytes from the server</param>
    /// <param name="reply">the reply, if complete; else null</param>
    /// <param name="consumed">how many bytes it took, if complete; else 0</param>
    public static ReplyReadOutcome Read(ReadOnlySpan<byte> input, out Reply? reply, out int consumed)
    {
        ReplyReader reader = new(input);
        ReplyReadOutcome outcome = reader.ReadReply(0, out reply);
        consumed = outcome == ReplyReadOutcome.Complete ? reader._position : 0;
        return outcome;
    }

    private static bool IsWellFormed(ReplyKind kind, ReadOnlySpan<byte> text) => kind switch
    {
        ReplyKind.Integer => RedisNumber.TryParseInt64(text, out _),
        ReplyKind.Double => RedisNumber.TryParseDouble(text, out _) || text.SequenceEqual("nan"u8),
        ReplyKind.Boolean => text is [(byte)'t'] or [(byte)'f'],
        ReplyKind.Null => text.IsEmpty,
        ReplyKind.BigNumber => !text.IsEmpty && !text[(text[0] is (byte)'-' or (byte)'+' ? 1 : 0)..]
            .ContainsAnyExceptInRange((byte)'0', (byte)'9'),
        _ => true,
    };

    private ReplyReadOutcome ReadReply(int depth, out Reply? reply)
    {
        reply = null;
        if (depth > DepthMax)
        {
            return ReplyReadOutcome.Malformed;
        }

        IReadOnlyList<Reply> attributes = [];
        while (_position < _input.Length && _input[_position] == '|')
        {
            ReplyReadOutcome outcome = ReadItems(ReplyKind.Map, depth, out Reply? map);
            if (outcome != ReplyReadOutcome.Complete)
            {
                return outcome;
            }

            attributes = map!.Items;
        }

        if (_position == _input.Length)
        {
            return ReplyReadOutcome.NeedMore;
        }

        ReplyReadOutcome result = _input[_position] switch
        {
            (byte)'+' => ReadLine(ReplyKind.SimpleString, out reply),
            (byte)'-' => ReadLine(ReplyKind.Error, out reply),
            (byte)':' => ReadLine(ReplyKind.Integer, out reply),
            (byte)',' => ReadLine(ReplyKind.Double, out reply),
            (byte)'#' => ReadLine(ReplyKind.Boolean, out reply),
            (byte)'_' => ReadLine(ReplyKind.Null, out reply),
            (byte)'(' => ReadLine(ReplyKind.BigNumber, out reply),
            (byte)'$' => ReadBulk(ReplyKind.Bulk, out reply),
            (byte)'=' => ReadBulk(ReplyKind.Verbatim, out reply),
            (byte)'!' => ReadBulk(ReplyKind.BulkError, out reply),
            (byte)'*' => ReadItems(ReplyKind.Array, depth, out reply),
            (byte)'%' => ReadItems(ReplyKind.Map, depth, out reply),
            (byte)'~' => ReadItems(ReplyKind.Set, depth, out reply),
            (byte)'>' => ReadItems(ReplyKind.Push, depth, out reply),
            _ => ReplyReadOutcome.Malformed,
        };
        if (result == ReplyReadOutcome.Complete)
        {
            reply!.Attributes = attributes;
        }

        return result;
    }

    private ReplyReadOutcome ReadLine(ReplyKind kind, out Reply? reply)
    {
        reply = null;
        ReplyReadOutcome outcome = TakeLine(out ReadOnlySpan<byte> text);
        if (outcome != ReplyReadOutcome.Complete)
        {
            return outcome;
        }

        if (!IsWellFormed(kind, text))
        {
            return ReplyReadOutcome.Malformed;
        }

        reply = new Reply(kind, text.ToArray(), []);
        return ReplyReadOutcome.Complete;
    }

    private ReplyReadOutcome ReadBulk(ReplyKind kind, out Reply? reply)
    {
        reply = null;
        ReplyReadOutcome outcome = TakeLength(out int length);
        if (outcome != ReplyReadOutcome.Complete)
        {
            return outcome;
        }

        if (length < 0)
        {
            reply = new Reply(ReplyKind.NullBulk, [], []);
            return kind == ReplyKind.Bulk ? outcome : ReplyReadOutcome.Malformed;
        }

        if (_input.Length - _position - 2 < length)
        {
            return ReplyReadOutcome.NeedMore;
        }

        ReadOnlySpan<byte> bytes = _input.Slice(_position, length);
        _position += length + 2;
        if (_input[_position - 2] != '\r' || _input[_position - 1] != '\n'
            || (kind == ReplyKind.Verbatim && (length < 4 || bytes[3] != ':')))
        {
            return ReplyReadOutcome.Malformed;
        }

        reply = new Reply(kind, bytes.ToArray(), []);
        return ReplyReadOutcome.Complete;
    }

    private ReplyReadOutcome ReadItems(ReplyKind kind, int depth, out Reply? reply)
    {
        reply = null;
        ReplyReadOutcome outcome = TakeLength(out int count);
        if (outcome != ReplyReadOutcome.Complete)
        {
            return outcome;
        }

        if (count < 0)
        {
            reply = new Reply(ReplyKind.NullArray, [], []);
            return kind == ReplyKind.Array ? outcome : ReplyReadOutcome.Malformed;
        }

        List<Reply> items = [];
        for (long left = kind == ReplyKind.Map ? count * 2L : count; left > 0; left--)
        {
            outcome = ReadReply(depth + 1, out Reply? item);
            if (outcome != ReplyReadOutcome.Complete)
            {
                return outcome;
            }

            items.Add(item!);
        }

        reply = new Reply(kind, [], items);
        return ReplyReadOutcome.Complete;
    }

    /// <summary>Takes a line whose text is a length; -1 is one, too.</summary>
    private ReplyReadOutcome TakeLength(out int length)
    {
        length = 0;
        ReplyReadOutcome outcome = TakeLine(out ReadOnlySpan<byte> text);
        if (outcome == ReplyReadOutcome.Complete)
        {
            if (!RedisNumber.TryParseInt64(text, out long value) || value is < -1 or > int.MaxValue)
            {
                return ReplyReadOutcome.Malformed;
            }

            length = (int)value;
        }

        return outcome;
    }

    /// <summary>Takes a line: its text is what follows the type character.</summary>
    private ReplyReadOutcome TakeLine(out ReadOnlySpan<byte> text)
    {
        text = default;
        ReadOnlySpan<byte> rest = _input[(_position + 1)..];
        int length = rest.IndexOf((byte)'\r');
        if (length < 0 || length + 1 == rest.Length)
        {
            return ReplyReadOutcome.NeedMore;
        }

        if (rest[length + 1] != '\n')
        {
            return ReplyReadOutcome.Malformed;
        }

        text = rest[..length];
        _position += length + 3;
        return ReplyReadOutcome.Complete;
    }
}
