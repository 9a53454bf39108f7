using System.Globalization;
using System.Text;

namespace Cinnabar.Generator;

/// <summary>
/// Writes trees of replies as text, the form that Cinnabar.Engine.Specs.SpecTree reads:
/// a letter for the kind, a number, ';', and the characters of a string.
/// </summary>
internal sealed class TreeText
{
    private readonly StringBuilder _text = new StringBuilder();

    public int Length => _text.Length;

    public TreeText Array(int count) => Head('a', count);

    /// <summary>A map; a key and a value follow for each of the pairs.</summary>
    public TreeText Map(int pairCount) => Head('m', pairCount);

    public TreeText Set(int count) => Head('s', count);

    public TreeText Integer(long value) => Head('i', value);

    public TreeText Bulk(string value)
    {
        Head('b', value.Length);
        _text.Append(value);
        return this;
    }

    /// <summary>A simple string ("+OK").</summary>
    public TreeText Status(string value)
    {
        Head('t', value.Length);
        _text.Append(value);
        return this;
    }

    public override string ToString() => _text.ToString();

    private TreeText Head(char kind, long value)
    {
        _text.Append(kind).Append(value.ToString(CultureInfo.InvariantCulture)).Append(';');
        return this;
    }
}
