namespace Cinnabar.Engine.Replies;

/// <summary>An interpolated line of INFO: its parts go into the text as they come, and none becomes a string
/// first.</summary>
[InterpolatedStringHandler]
internal readonly ref struct InfoLine
{
    private readonly InfoText _text;

    /// <summary>Begins at the end of a text; what the compiler counted is not needed.</summary>
    public InfoLine(int literalLength, int formattedCount, InfoText text)
    {
        _ = literalLength + formattedCount;
        _text = text;
    }

    /// <summary>A part between holes.</summary>
    public void AppendLiteral(string part) => _text.Append(part);

    /// <summary>A hole with a text.</summary>
    public void AppendFormatted(string part) => _text.Append(part);

    /// <summary>A hole with a text of ASCII.</summary>
    public void AppendFormatted(scoped ReadOnlySpan<byte> part) => _text.Append(part);

    /// <summary>A hole with a number.</summary>
    public void AppendFormatted(long number) => _text.Append(number);

    /// <summary>A hole with a number and its format, of which two decimals are the usual one.</summary>
    public void AppendFormatted(double number, string format)
    {
        if (format == "F2")
            _text.AppendHundredths(number);
        else
            _text.Append(number, format);
    }
}
