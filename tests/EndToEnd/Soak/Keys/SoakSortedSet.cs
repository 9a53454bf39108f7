using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.EndToEnd.Soak.Keys;

/// <summary>A sorted set with scores that are integers.</summary>
internal sealed class SoakSortedSet(string name) : SoakKey(name)
{
    private readonly Dictionary<string, int> _scores = [];

    protected override bool Exists => _scores.Count > 0;

    private IEnumerable<(string Member, int Score)> Ordered => _scores
        .Select(static pair => (Member: pair.Key, Score: pair.Value))
        .OrderBy(static item => item.Score).ThenBy(static item => item.Member, StringComparer.Ordinal);

    public override SoakStep Whole() => new(["ZRANGE", Name, "0", "-1", "WITHSCORES"],
        SoakStep.Array([.. Ordered.SelectMany(static item => WithScore(item))]));

    public override void Clear() => _scores.Clear();

    public override SoakStep Next(SoakDice dice)
    {
        string member = dice.Member();
        bool isThere = _scores.TryGetValue(member, out int score);
        switch (dice.Below(9))
        {
            case 0:
                return new(["ZSCORE", Name, member], isThere ? $"${score}" : "_");
            case 1:
                return new(["ZCARD", Name], $":{_scores.Count}");
            case 2:
                return new(["ZREM", Name, member], _scores.Remove(member) ? ":1" : ":0");
            case 3:
                (string Member, int Score)[] least = [.. Ordered.Take(1)];
                if (least.Length > 0) _scores.Remove(least[0].Member);
                return new(["ZPOPMIN", Name], SoakStep.Array([.. least.SelectMany(WithScore)]));
            case 4:
                _scores[member] = score + 7;
                return new(["ZINCRBY", Name, "7", member], $"${score + 7}");
            case 5:
                int bound = dice.Below(500);
                return new(["ZCOUNT", Name, "-inf", $"({bound}"],
                    $":{_scores.Values.Count(value => value < bound)}");
            case 6:
                int rank = Ordered.TakeWhile(item => item.Member != member).Count();
                return new(["ZRANK", Name, member], isThere ? $":{rank}" : "_");
            default:
                return Add(dice);
        }
    }

    private SoakStep Add(SoakDice dice)
    {
        List<string> command = ["ZADD", Name];
        int before = _scores.Count;
        for (int count = dice.MemberCount(); count > 0; count--)
        {
            (int score, string member) = (dice.Below(500), dice.Member());
            _scores[member] = score;
            command.AddRange([SoakDice.Number(score), member]);
        }

        return new([.. command], $":{_scores.Count - before}");
    }

    private static string[] WithScore((string Member, int Score) item) =>
        ["$" + item.Member, $"${item.Score}"];
}
