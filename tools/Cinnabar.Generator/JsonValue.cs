using System.Collections.Generic;

namespace Cinnabar.Generator;

/// <summary>A parsed JSON value with its line, for diagnostics.</summary>
internal sealed class JsonValue
{
    public JsonValue(JsonKind kind, int line)
    {
        Kind = kind;
        Line = line;
    }

    public JsonKind Kind { get; }

    /// <summary>Zero-based line of the value's first character.</summary>
    public int Line { get; }

    /// <summary>The text of a string, or the digits of a number.</summary>
    public string Text { get; set; } = "";

    public bool IsTrue { get; set; }

    /// <summary>The items of an array, or an object's values in the order of <see cref="Names"/>.</summary>
    public List<JsonValue> Items { get; } = new List<JsonValue>();

    public List<string> Names { get; } = new List<string>();

    public JsonValue? this[string name]
    {
        get
        {
            int index = Names.IndexOf(name);
            return index < 0 ? null : Items[index];
        }
    }
}
