using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands of sorted sets, and what they mean. Scores are small integers.</summary>
internal static class SortedSetCommands
{
    private const string Kind = "zset";
    private const int ScoreEnd = 8;

    /// <summary>A random command.</summary>
    /// <param name="scene">The source of names and values.</param>
    /// <param name="seemsSwapped">For the canary: a client that wants the lowest seems to get the
    /// highest.</param>
    public static TypedCommand Make(Scene scene, bool seemsSwapped) => scene.Dice.Below(14) switch
    {
        12 => SortedSetStores.Combine(scene),
        13 => scene.Dice.OneIn(2) ? SortedSetStores.Range(scene) : RemoveRange(scene),
        0 or 1 => Add(scene),
        2 => Increment(scene),
        3 => Remove(scene),
        4 => Pop(scene),
        5 or 6 or 7 => WaitForOne(scene, seemsSwapped),
        8 => MultiPop(scene, isWaiting: false),
        9 or 10 => MultiPop(scene, isWaiting: true),
        _ => Range(scene.Key(Kind)),
    };

    /// <summary>ZRANGE of all.</summary>
    public static TypedCommand Range(string key) => new(["ZRANGE", key, "0", "-1", "WITHSCORES"], run =>
        !run.TryGet(key, out Content.Scores? set) ? Shown.WrongType
            : Shown.Many((set?.Ordered ?? []).SelectMany(Pair)));

    private static string[] Pair(KeyValuePair<string, long> one) =>
        [Shown.Bulk(one.Key), Shown.Number(one.Value)];

    private static TypedCommand Add(Scene scene)
    {
        string key = scene.Key(Kind);
        (string Member, long Score)[] all =
            [.. scene.Members().Select(member => (member, (long)scene.Dice.Below(ScoreEnd)))];
        string[] words = [.. all.SelectMany(static one => new[] { Scene.Text(one.Score), one.Member })];
        return new(["ZADD", key, .. words], run =>
        {
            if (!run.TryGet(key, out Content.Scores? set))
                return Shown.WrongType;
            set ??= Content.Scores.None;
            int added = all.Count(one => !set.Items.ContainsKey(one.Member));
            run.Put(key, new Content.Scores(set.Items.SetItems(
                all.Select(static one => KeyValuePair.Create(one.Member, one.Score)))));
            return Shown.Integer(added);
        });
    }

    private static TypedCommand Increment(Scene scene)
    {
        string key = scene.Key(Kind);
        string member = scene.Member();
        int by = scene.Dice.Below(ScoreEnd) - (ScoreEnd / 2);
        return new(["ZINCRBY", key, Scene.Text(by), member], run =>
        {
            if (!run.TryGet(key, out Content.Scores? set))
                return Shown.WrongType;
            set ??= Content.Scores.None;
            long score = set.Items.GetValueOrDefault(member) + by;
            run.Put(key, new Content.Scores(set.Items.SetItem(member, score)));
            return Shown.Number(score);
        });
    }

    private static TypedCommand Remove(Scene scene)
    {
        string key = scene.Key(Kind);
        string[] members = scene.Members();
        return new(["ZREM", key, .. members], run =>
        {
            if (!run.TryGet(key, out Content.Scores? set))
                return Shown.WrongType;
            int removed = members.Count(member => set?.Items.ContainsKey(member) is true);
            if (removed > 0)
                run.Put(key, new Content.Scores(set!.Items.RemoveRange(members)));
            return Shown.Integer(removed);
        });
    }

    private static TypedCommand RemoveRange(Scene scene)
    {
        string key = scene.Key(Kind);
        int lowest = scene.Dice.Below(ScoreEnd);
        int highest = lowest + scene.Dice.Below(ScoreEnd);
        return new(["ZREMRANGEBYSCORE", key, Scene.Text(lowest), Scene.Text(highest)], run =>
        {
            if (!run.TryGet(key, out Content.Scores? set))
                return Shown.WrongType;
            string[] members = [.. (set?.Items ?? Content.Scores.None.Items)
                .Where(one => one.Value >= lowest && one.Value <= highest).Select(static one => one.Key)];
            if (members.Length > 0)
                run.Put(key, new Content.Scores(set!.Items.RemoveRange(members)));
            return Shown.Integer(members.Length);
        });
    }

    private static TypedCommand Pop(Scene scene)
    {
        bool isLowest = scene.Dice.OneIn(2);
        string key = scene.Key(Kind);
        int count = scene.Count();
        return new([isLowest ? "ZPOPMIN" : "ZPOPMAX", key, Scene.Text(count)], run =>
            !run.TryGet(key, out Content.Scores? set) ? Shown.WrongType
                : set is null ? Shown.None
                : Shown.Many(Take(run, key, set, isLowest, count).SelectMany(Pair)));
    }

    private static TypedCommand WaitForOne(Scene scene, bool seemsSwapped)
    {
        bool isLowest = scene.Dice.OneIn(2);
        string[] keys = scene.Keys(Kind);
        long timeoutMs = scene.TimeoutMs();
        string? Run(ModelRun run)
        {
            foreach (string key in keys)
            {
                if (!run.TryGet(key, out Content.Scores? set))
                    return Shown.WrongType;
                if (set is not null)
                    return Shown.Many([Shown.Bulk(key), .. Pair(Take(run, key, set, isLowest, 1)[0])]);
            }

            return run.Block(Kind, keys, Run);
        }

        string name = isLowest && !seemsSwapped ? "BZPOPMIN" : "BZPOPMAX";
        return new([name, .. keys, Scene.Seconds(timeoutMs)], Run) { TimeoutMs = timeoutMs };
    }

    private static TypedCommand MultiPop(Scene scene, bool isWaiting)
    {
        bool isLowest = scene.Dice.OneIn(2);
        string[] keys = scene.Keys(Kind);
        int count = scene.Count();
        long timeoutMs = isWaiting ? scene.TimeoutMs() : 0;
        string? Run(ModelRun run)
        {
            foreach (string key in keys)
            {
                if (!run.TryGet(key, out Content.Scores? set))
                    return Shown.WrongType;
                if (set is null)
                    continue;
                return Shown.Many(Shown.Bulk(key), Shown.Many(
                    Take(run, key, set, isLowest, count).Select(static one => Shown.Many(Pair(one)))));
            }

            return isWaiting ? run.Block(Kind, keys, Run) : Shown.Null;
        }

        string[] name = isWaiting ? ["BZMPOP", Scene.Seconds(timeoutMs)] : ["ZMPOP"];
        string[] end = [isLowest ? "MIN" : "MAX", "COUNT", Scene.Text(count)];
        return new([.. name, Scene.Text(keys.Length), .. keys, .. end], Run) { TimeoutMs = timeoutMs };
    }

    private static KeyValuePair<string, long>[] Take(
        ModelRun run, string key, Content.Scores set, bool isLowest, int countMax)
    {
        IEnumerable<KeyValuePair<string, long>> ordered = isLowest ? set.Ordered : set.Ordered.Reverse();
        KeyValuePair<string, long>[] taken = [.. ordered.Take(countMax)];
        run.Put(key, new Content.Scores(set.Items.RemoveRange(taken.Select(static one => one.Key))));
        return taken;
    }
}
