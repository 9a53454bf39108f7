// The text of INFO, as bytes: fields are written in place, since formatting hundreds of numbers as strings
// first would cost more than collecting them.

using System.Buffers;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Replies;

/// <summary>The text of INFO, sections of fields, and of CLIENT LIST.</summary>
internal sealed class InfoText : IDisposable
{
    private const int RoomAtFirst = 12 * 1024;

    // More than the characters of any number here, with those beside it.
    private const int NumberLengthMax = 40;

    private const long UsPerS = 1_000_000;
    private const long NsPerUs = 1000;
    private const int HundredthsPerUnit = 100;

    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(RoomAtFirst);
    private int _length;

    /// <summary>The text so far.</summary>
    public ReadOnlySpan<byte> Written => _bytes.AsSpan(0, _length);

    /// <summary>Begins a section.</summary>
    public void Section(ReadOnlySpan<byte> name)
    {
        if (_length > 0)
            Append("\r\n"u8);
        Append("# "u8);
        Append(name);
        EndLine();
    }

    /// <summary>Writes a field.</summary>
    public void Field(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        Begin(name);
        Append(value);
        EndLine();
    }

    /// <summary>Writes a field.</summary>
    public void Field(ReadOnlySpan<byte> name, string value)
    {
        Begin(name);
        Append(value);
        EndLine();
    }

    /// <summary>Writes a number in one step: most lines of INFO are numbers.</summary>
    public void Field(ReadOnlySpan<byte> name, long value)
    {
        Span<byte> room = Room(name.Length + NumberLengthMax);
        name.CopyTo(room);
        room[name.Length] = (byte)':';
        int length = name.Length + 1;
        length += RedisNumber.FormatInt64(value, room[length..]);
        "\r\n"u8.CopyTo(room[length..]);
        _length += length + 2;
    }

    /// <summary>Adds a word and a number to the line that is being written.</summary>
    public void Append(scoped ReadOnlySpan<byte> word, long value)
    {
        Span<byte> room = Room(word.Length + NumberLengthMax);
        word.CopyTo(room);
        _length += word.Length + RedisNumber.FormatInt64(value, room[word.Length..]);
    }

    /// <summary>Writes a number with two decimals.</summary>
    public void Field(ReadOnlySpan<byte> name, double value)
    {
        Begin(name);
        AppendHundredths(value);
        EndLine();
    }

    /// <summary>Writes a time in seconds with six decimals.</summary>
    public void Seconds(ReadOnlySpan<byte> name, TimeSpan time)
    {
        Begin(name);
        AppendSeconds((long)time.TotalMicroseconds);
        EndLine();
    }

    /// <summary>Writes a share in percent, in the form of Redis; 0 of nothing.</summary>
    public void Percent(ReadOnlySpan<byte> name, long part, long whole)
    {
        Begin(name);
        AppendHundredths(whole == 0 ? 0 : part * 100.0 / whole);
        Append("%\r\n"u8);
    }

    /// <summary>Writes an amount of bytes twice: as a number, and for people.</summary>
    public void Bytes(ReadOnlySpan<byte> name, long bytes)
    {
        Field(name, bytes);
        Append(name);
        Append("_human:"u8);
        AppendHuman(bytes);
        EndLine();
    }

    /// <summary>Writes a line that has parts, or the rest of the one that is being written.</summary>
    public void Line([InterpolatedStringHandlerArgument("")] InfoLine line)
    {
        Append(line);
        EndLine();
    }

    /// <summary>Ends the line that is being written.</summary>
    public void EndLine() => Append("\r\n"u8);

    /// <summary>Adds parts to the line that is being written.</summary>
    public void Append([InterpolatedStringHandlerArgument("")] InfoLine line)
    {
        // The parts are in the text already.
        _ = line;
    }

    /// <summary>Adds to the line that is being written.</summary>
    public void Append(scoped ReadOnlySpan<byte> text)
    {
        text.CopyTo(Room(text.Length));
        _length += text.Length;
    }

    /// <summary>Adds to the line that is being written.</summary>
    public void Append(scoped ReadOnlySpan<char> text) =>
        _length += Encoding.UTF8.GetBytes(text, Room(Encoding.UTF8.GetMaxByteCount(text.Length)));

    /// <summary>Adds a number to the line that is being written.</summary>
    public void Append(long value) => _length += RedisNumber.FormatInt64(value, Room(NumberLengthMax));

    /// <summary>Adds a number, in one of .NET's formats, to the line that is being written.</summary>
    public void Append(double value, string format)
    {
        int length;
        for (int room = NumberLengthMax;
            !value.TryFormat(Room(room), out length, format, CultureInfo.InvariantCulture);
            room *= 2) { }

        _length += length;
    }

    /// <summary>Adds a time in seconds with six decimals to the line that is being written.</summary>
    public void AppendSeconds(long microseconds)
    {
        (long seconds, long rest) = Math.DivRem(microseconds, UsPerS);
        Append(seconds);
        AppendDecimals(rest, 6);
    }

    /// <summary>Adds a time in nanoseconds to the line that is being written, in microseconds with three
    /// decimals.</summary>
    public void AppendMicroseconds(long nanoseconds)
    {
        (long us, long rest) = Math.DivRem(nanoseconds, NsPerUs);
        Append(us);
        AppendDecimals(rest, 3);
    }

    /// <summary>Adds a number with two decimals to the line that is being written, rounded as printf(3)
    /// does.</summary>
    public void AppendHundredths(double value)
    {
        const double ScaledMax = 1e12;
        const double ErrorMax = 1e-3;
        double scaled = value * HundredthsPerUnit;
        double down = Math.Floor(scaled);
        // The multiplication may have rounded to the wrong side of a half; .NET, which uses all digits, is
        // right.
        if (scaled is >= 0 and < ScaledMax && Math.Abs(scaled - down - 0.5) > ErrorMax)
        {
            long hundredths = (long)(scaled + 0.5);
            Append(hundredths / HundredthsPerUnit);
            AppendDecimals(hundredths % HundredthsPerUnit, 2);
            return;
        }

        Append(value, "F2");
    }

    /// <summary>An amount of bytes for people, in the form of Redis: 1.50M.</summary>
    public static string Human(long bytes)
    {
        using var text = new InfoText();
        text.AppendHuman(bytes);
        return Encoding.ASCII.GetString(text.Written);
    }

    public void Dispose()
    {
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = [];
    }

    private void Begin(ReadOnlySpan<byte> name)
    {
        Append(name);
        Append(":"u8);
    }

    private void AppendHuman(long bytes)
    {
        ReadOnlySpan<byte> units = "KMGTP"u8;
        if (bytes < 1024)
        {
            Append(bytes);
            Append("B"u8);
            return;
        }

        double value = bytes / 1024.0;
        int unit = 0;
        for (; value >= 1024 && unit < units.Length - 1; unit++)
            value /= 1024;
        AppendHundredths(value);
        Append(units.Slice(unit, 1));
    }

    private void AppendDecimals(long value, int digitCount)
    {
        Span<byte> room = Room(NumberLengthMax)[..(digitCount + 1)];
        room[0] = (byte)'.';
        for (int digit = digitCount; digit > 0; digit--)
        {
            (value, long last) = Math.DivRem(value, 10);
            room[digit] = (byte)('0' + last);
        }

        _length += room.Length;
    }

    private Span<byte> Room(int count)
    {
        if (_bytes.Length - _length < count)
            Grow(count);
        return _bytes.AsSpan(_length);
    }

    private void Grow(int count)
    {
        byte[] more = ArrayPool<byte>.Shared.Rent(checked((2 * _bytes.Length) + count));
        Written.CopyTo(more);
        ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = more;
    }
}
