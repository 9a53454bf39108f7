namespace Cinnabar.Resp;

/// <summary>A reply as a client sees it: a tree of managed objects.</summary>
public sealed class Reply
{
    internal Reply(ReplyKind kind, byte[] bytes, IReadOnlyList<Reply> items)
    {
        Kind = kind;
        Bytes = bytes;
        Items = items;
    }

    /// <summary>Its type.</summary>
    public ReplyKind Kind { get; }

    /// <summary>Its text as it was sent; empty for nulls and for replies with items.</summary>
    public byte[] Bytes { get; }

    /// <summary>Elements, members, or keys and values in turn; empty for all other types.</summary>
    public IReadOnlyList<Reply> Items { get; }

    /// <summary>Keys and values, in turn, of the attributes sent before the reply; usually empty.</summary>
    public IReadOnlyList<Reply> Attributes { get; internal set; } = [];

    /// <summary>Whether it is one of the three nulls.</summary>
    public bool IsNull => Kind is ReplyKind.Null or ReplyKind.NullBulk or ReplyKind.NullArray;

    /// <summary>Whether it is an error.</summary>
    public bool IsError => Kind is ReplyKind.Error or ReplyKind.BulkError;

    /// <summary>The text, with one character a byte.</summary>
    public string Text => Encoding.Latin1.GetString(Bytes);

    /// <summary>The number in the text of any type.</summary>
    /// <exception cref="FormatException">the text is not an integer</exception>
    public long Integer => RedisNumber.TryParseInt64(Bytes, out long value)
        ? value
        : throw new FormatException($"{this} is no integer");

    /// <summary>The floating-point number in the text of any type.</summary>
    /// <exception cref="FormatException">the text is not a number</exception>
    public double Double => RedisNumber.TryParseDouble(Bytes, out double value)
        ? value
        : Text is "nan" ? double.NaN : throw new FormatException($"{this} is no number");

    /// <summary>Whether a RESP3 boolean is true.</summary>
    public bool Boolean => Kind == ReplyKind.Boolean && Bytes is [(byte)'t'];

    /// <summary>The reply on one line: type character, text in quotes where it can have any byte, items in
    /// brackets. Two replies are equal if and only if these texts are.</summary>
    public override string ToString()
    {
        StringBuilder text = new();
        Describe(text);
        return text.ToString();
    }

    private static void DescribeAll(StringBuilder text, IReadOnlyList<Reply> items)
    {
        text.Append('[');
        for (int index = 0; index < items.Count; index++)
        {
            text.Append(index == 0 ? "" : ", ");
            items[index].Describe(text);
        }

        text.Append(']');
    }

    private static void Quote(StringBuilder text, byte[] bytes)
    {
        text.Append('"');
        foreach (byte c in bytes)
        {
            if (c is < 0x20 or >= 0x7F or (byte)'"' or (byte)'\\')
            {
                text.Append(CultureInfo.InvariantCulture, $"\\x{c:x2}");
            }
            else
            {
                text.Append((char)c);
            }
        }

        text.Append('"');
    }

    private void Describe(StringBuilder text)
    {
        if (Attributes.Count > 0)
        {
            text.Append('|');
            DescribeAll(text, Attributes);
        }

        text.Append("+-:$$**_,#(=!%~>"[(int)Kind]);
        switch (Kind)
        {
            case ReplyKind.Array or ReplyKind.Map or ReplyKind.Set or ReplyKind.Push:
                DescribeAll(text, Items);
                break;

            case ReplyKind.NullBulk or ReplyKind.NullArray:
                text.Append("-1");
                break;

            case ReplyKind.Bulk or ReplyKind.Verbatim or ReplyKind.BulkError:
                Quote(text, Bytes);
                break;

            default:
                text.Append(Text);
                break;
        }
    }
}
