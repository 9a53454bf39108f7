using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands that store a sorted set which they make of others, and what they mean.</summary>
internal static class SortedSetStores
{
    private const string Kind = "zset";

    /// <summary>ZUNIONSTORE and its kin.</summary>
    public static TypedCommand Combine(Scene scene)
    {
        string name = scene.Dice.Pick("ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE");
        string to = scene.Key(Kind);
        string[] from = [scene.Key(Kind), scene.Dice.OneIn(4) ? scene.Key("set") : scene.Key(Kind)];
        return new([name, to, "2", .. from], run =>
        {
            if (Find(run, from[0]) is not { } one || Find(run, from[1]) is not { } other)
                return Shown.WrongType;
            ImmutableSortedDictionary<string, long> result = name[1] switch
            {
                'U' => one.SetItems(other.Select(item => KeyValuePair.Create(
                    item.Key, item.Value + one.GetValueOrDefault(item.Key)))),
                'I' => one.RemoveRange(one.Keys.Where(key => !other.ContainsKey(key)))
                    .ToImmutableSortedDictionary(static item => item.Key,
                        item => item.Value + other[item.Key], StringComparer.Ordinal),
                _ => one.RemoveRange(other.Keys),
            };
            run.Store(new Place(run.Database, to), new Content.Scores(result), null);
            return Shown.Integer(result.Count);
        });
    }

    /// <summary>ZRANGESTORE by rank.</summary>
    public static TypedCommand Range(Scene scene)
    {
        string to = scene.Key(Kind);
        string from = scene.Key(Kind);
        int count = scene.Count();
        return new(["ZRANGESTORE", to, from, "0", Scene.Text(count - 1)], run =>
        {
            if (!run.TryGet(from, out Content.Scores? set))
                return Shown.WrongType;
            ImmutableSortedDictionary<string, long> result = (set ?? Content.Scores.None).Ordered.Take(count)
                .ToImmutableSortedDictionary(StringComparer.Ordinal);
            run.Store(new Place(run.Database, to), new Content.Scores(result), null);
            return Shown.Integer(result.Count);
        });
    }

    // Of a set every member has the score 1; null: it is something else.
    private static ImmutableSortedDictionary<string, long>? Find(ModelRun run, string key) =>
        run.Find(key) switch
        {
            null => Content.Scores.None.Items,
            Content.Scores scores => scores.Items,
            Content.Members set => set.Items.ToImmutableSortedDictionary(
                static member => member, static _ => 1L, StringComparer.Ordinal),
            _ => null,
        };
}
