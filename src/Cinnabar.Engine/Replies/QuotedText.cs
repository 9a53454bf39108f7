namespace Cinnabar.Engine.Replies;

/// <summary>Bytes as Redis shows them to people: in double quotes, with escapes for what is not
/// printable.</summary>
internal static class QuotedText
{
    /// <summary>Appends the bytes in quotes, one character a byte.</summary>
    public static void Append(StringBuilder text, ReadOnlySpan<byte> bytes)
    {
        text.Append('"');
        foreach (byte value in bytes)
        {
            switch (value)
            {
                case (byte)'\\' or (byte)'"':
                    text.Append('\\').Append((char)value);
                    break;
                case (byte)'\n':
                    text.Append("\\n");
                    break;
                case (byte)'\r':
                    text.Append("\\r");
                    break;
                case (byte)'\t':
                    text.Append("\\t");
                    break;
                case 7:
                    text.Append("\\a");
                    break;
                case 8:
                    text.Append("\\b");
                    break;
                default:
                    if (value is >= 32 and < 127)
                        text.Append((char)value);
                    else
                        text.Append("\\x").Append(value.ToString("x2", CultureInfo.InvariantCulture));
                    break;
            }
        }

        text.Append('"');
    }
}
