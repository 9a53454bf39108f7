using Cinnabar.Engine.Replies;

namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>The reply to a command of a script as the debugger shows it. The reply is our own, so it is
/// complete and well formed.</summary>
internal ref struct DebugReply(ReadOnlySpan<byte> reply)
{
    private readonly ReadOnlySpan<byte> _reply = reply;
    private int _position;

    /// <summary>The text of a reply, one character a byte.</summary>
    public static string Of(ReadOnlySpan<byte> reply)
    {
        var text = new StringBuilder();
        new DebugReply(reply).Append(text);
        return text.ToString();
    }

    private void Append(StringBuilder text)
    {
        ReadOnlySpan<byte> line = Line();
        switch ((char)line[0])
        {
            case ':' or '(':
                AppendText(text, line[1..]);
                break;
            case '$':
                AppendBulk(text, Number(line));
                break;
            case '+' or '-':
                QuotedText.Append(text, line);
                break;
            case '*' or '>':
                AppendItems(text, Number(line), "[", "]");
                break;
            case '~':
                AppendItems(text, Number(line), "~(", ")");
                break;
            case '%':
                AppendMap(text, Number(line));
                break;
            case '_':
                text.Append("(null)");
                break;
            case '#':
                text.Append(line[1] == 't' ? "#true" : "#false");
                break;
            case ',':
                AppendText(text.Append("(double) "), line[1..]);
                break;
            case '=':
                QuotedText.Append(text, Bytes(Number(line))["txt:".Length..]);
                break;
            default:
                AppendText(text, line);
                break;
        }
    }

    private static int Number(ReadOnlySpan<byte> line)
    {
        bool isNumber = RedisNumber.TryParseInt64(line[1..], out long value);
        Debug.Assert(isNumber, "a length is a number");
        return (int)value;
    }

    private static void AppendText(StringBuilder text, ReadOnlySpan<byte> bytes) =>
        text.Append(Encoding.Latin1.GetString(bytes));

    private ReadOnlySpan<byte> Line()
    {
        ReadOnlySpan<byte> rest = _reply[_position..];
        int length = rest.IndexOf((byte)'\r');
        _position += length + 2;
        return rest[..length];
    }

    private ReadOnlySpan<byte> Bytes(int length)
    {
        ReadOnlySpan<byte> bytes = _reply.Slice(_position, length);
        _position += length + 2;
        return bytes;
    }

    private void AppendBulk(StringBuilder text, int length)
    {
        if (length < 0)
            text.Append("NULL");
        else
            QuotedText.Append(text, Bytes(length));
    }

    private void AppendItems(StringBuilder text, int count, string start, string end)
    {
        if (count < 0)
        {
            text.Append("NULL");
            return;
        }

        text.Append(start);
        for (int index = 0; index < count; index++)
        {
            if (index > 0)
                text.Append(',');
            Append(text);
        }

        text.Append(end);
    }

    private void AppendMap(StringBuilder text, int count)
    {
        text.Append('{');
        for (int index = 0; index < count; index++)
        {
            if (index > 0)
                text.Append(',');
            Append(text);
            text.Append(" => ");
            Append(text);
        }

        text.Append('}');
    }
}
