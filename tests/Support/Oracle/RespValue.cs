using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Cinnabar.Tests.Support.Oracle;

/// <summary>A reply as it came: its kind by RESP's own letter, its text, its items.</summary>
/// <param name="Kind">'+', '-', ':', '$', '*', '%', '~', '_' and RESP3's other letters.</param>
/// <param name="Text">The text of what has one, a byte a character (Latin-1); empty for a null.</param>
/// <param name="Items">The items of an array, set or push; keys and values in turn of a map.</param>
public sealed record RespValue(char Kind, string Text, IReadOnlyList<RespValue> Items)
{
    /// <summary>The value of a key of a map (or of an array of keys and values); null: it has none.</summary>
    public RespValue? this[string key]
    {
        get
        {
            for (int i = 0; i + 1 < Items.Count; i += 2)
            {
                if (Items[i].Text == key) return Items[i + 1];
            }

            return null;
        }
    }

    /// <summary>The text as an integer.</summary>
    public long Integer => long.Parse(Text, CultureInfo.InvariantCulture);

    /// <summary>The text as a number.</summary>
    public double Double => double.Parse(Text, CultureInfo.InvariantCulture);

    /// <summary>The bytes of the text.</summary>
    public byte[] Bytes => Encoding.Latin1.GetBytes(Text);

    /// <summary>The reply on one line, with its kinds.</summary>
    public override string ToString() =>
        Items.Count == 0 ? $"{Kind}{Text}" : $"{Kind}[{string.Join(", ", Items)}]";
}
