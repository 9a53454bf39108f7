using System.Collections.Generic;

namespace Cinnabar.Generator;

/// <summary>Where a command's keys are, how to find them, and what is done to them.</summary>
internal sealed class KeySpecModel
{
    public string Notes { get; set; } = "";

    public List<string> Flags { get; set; } = new List<string>();

    /// <summary>index, keyword or unknown.</summary>
    public string Begin { get; set; } = "";

    /// <summary>The index, or where the search for the keyword starts (negative: from the end).</summary>
    public int BeginPosition { get; set; }

    public string Keyword { get; set; } = "";

    /// <summary>range, keynum or unknown.</summary>
    public string Find { get; set; } = "";

    /// <summary>range: lastkey, keystep, limit; keynum: keynumidx, firstkey, keystep.</summary>
    public int[] FindNumbers { get; } = new int[3];
}
