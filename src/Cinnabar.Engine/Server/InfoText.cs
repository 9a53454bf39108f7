using System;
using System.Globalization;
using System.Text;

namespace Cinnabar.Engine.Server;

/// <summary>The text of INFO: sections of fields.</summary>
internal sealed class InfoText
{
    private readonly StringBuilder _text = new();

    /// <summary>Begins a section.</summary>
    public void Section(string name)
    {
        if (_text.Length > 0)
            _text.Append("\r\n");
        _text.Append("# ").Append(name).Append("\r\n");
    }

    /// <summary>Writes a field.</summary>
    public void Field(string name, string value) =>
        _text.Append(name).Append(':').Append(value).Append("\r\n");

    /// <summary>Writes a number.</summary>
    public void Field(string name, long value) => Field(name, value.ToString(CultureInfo.InvariantCulture));

    /// <summary>Writes a number with two decimals.</summary>
    public void Field(string name, double value) =>
        Field(name, value.ToString("F2", CultureInfo.InvariantCulture));

    /// <summary>Writes an amount of bytes twice: as a number, and for people.</summary>
    public void Bytes(string name, long bytes)
    {
        Field(name, bytes);
        Field(name + "_human", Human(bytes));
    }

    /// <summary>An amount of bytes for people, in the form of Redis: 1.50M.</summary>
    public static string Human(long bytes)
    {
        ReadOnlySpan<char> units = "KMGTP";
        if (bytes < 1024)
            return string.Create(CultureInfo.InvariantCulture, $"{bytes}B");
        double value = bytes / 1024.0;
        int unit = 0;
        for (; value >= 1024 && unit < units.Length - 1; unit++)
            value /= 1024;
        return string.Create(CultureInfo.InvariantCulture, $"{value:F2}{units[unit]}");
    }

    /// <summary>A share in percent, in the form of Redis; 0 of nothing.</summary>
    public static string Percent(long part, long whole) =>
        string.Create(CultureInfo.InvariantCulture, $"{(whole == 0 ? 0 : part * 100.0 / whole):F2}%");

    /// <summary>The text.</summary>
    public byte[] ToBytes() => Encoding.UTF8.GetBytes(_text.ToString());
}
