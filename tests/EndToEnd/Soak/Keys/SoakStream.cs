using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A stream whose entries have one field.</summary>
internal sealed class SoakStream(string name) : SoakKey(name)
{
    private const int CountMax = 500;
    private readonly List<(int Id, string Field, string Value)> _entries = [];
    private int _lastId;
    private bool _exists;

    protected override bool Exists => _exists;

    public override SoakStep Whole() => new(["XRANGE", Name, "-", "+"], Array(_entries));

    public override void Clear()
    {
        _entries.Clear();
        _exists = false;
    }

    public override SoakStep Next(SoakDice dice)
    {
        if (_entries.Count > CountMax)
            return Trim(dice.Below(CountMax));
        switch (dice.Below(7))
        {
            case 0:
                return new(["XLEN", Name], $":{_entries.Count}");
            case 1:
                int id = dice.Below(_lastId + 1);
                int removedCount = _entries.RemoveAll(entry => entry.Id == id);
                return new(["XDEL", Name, $"{id}-0"], $":{removedCount}");
            case 2:
                int start = dice.Below(_lastId + 1);
                return new(["XRANGE", Name, $"{start}", "+", "COUNT", "20"],
                    Array(_entries.Where(entry => entry.Id >= start).Take(20)));
            default:
                _exists = true;
                _lastId += 1 + dice.Below(3);
                _entries.Add((_lastId, dice.Member(), dice.Small()));
                return new(["XADD", Name, $"{_lastId}-0", _entries[^1].Field, _entries[^1].Value],
                    $"${_lastId}-0");
        }
    }

    private SoakStep Trim(int count)
    {
        int removedCount = _entries.Count - count;
        _entries.RemoveRange(0, removedCount);
        return new(["XTRIM", Name, "MAXLEN", "=", $"{count}"], $":{removedCount}");
    }

    private static string Array(IEnumerable<(int Id, string Field, string Value)> entries) =>
        SoakStep.Array([.. entries.Select(static entry => SoakStep.Array($"${entry.Id}-0",
            SoakStep.Array("$" + entry.Field, "$" + entry.Value)))]);
}
