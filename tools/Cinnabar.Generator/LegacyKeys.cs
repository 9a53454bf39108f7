using System.Collections.Generic;

namespace Cinnabar.Generator;

/// <summary>
/// The three old numbers of COMMAND for the positions of keys (first, last, step). They can express key specs
/// that begin at an index and are a range, one behind the other; with any other spec the command has movable
/// keys.
/// </summary>
internal sealed class LegacyKeys
{
    private LegacyKeys()
    {
    }

    public int First { get; private set; }

    public int Last { get; private set; }

    public int Step { get; private set; }

    public bool AreMovable { get; private set; }

    public static LegacyKeys Of(List<KeySpecModel> specs)
    {
        var keys = new LegacyKeys();
        foreach (KeySpecModel spec in specs) keys.Add(spec);
        return keys;
    }

    private void Add(KeySpecModel spec)
    {
        bool isSimple = spec.Begin == "index" && spec.Find == "range" && spec.FindNumbers[2] == 0;
        if (!isSimple || spec.Flags.Contains("incomplete"))
        {
            AreMovable = true;
            return;
        }

        int last = spec.FindNumbers[0];
        if (last >= 0) last += spec.BeginPosition;
        int step = spec.FindNumbers[1];
        if (First == 0)
        {
            First = spec.BeginPosition;
            Last = last;
            Step = step;
        }
        else if (Last >= 0 && Last == spec.BeginPosition - Step && Step == step)
        {
            Last = last;
        }
        else
        {
            AreMovable = true;
        }
    }
}
