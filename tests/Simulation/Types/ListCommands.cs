using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands of lists, and what they mean.</summary>
internal static class ListCommands
{
    private const string Kind = "list";

    /// <summary>A random command.</summary>
    public static TypedCommand Make(Scene scene) => scene.Dice.Below(14) switch
    {
        12 => ListEdits.Make(scene),
        13 => ListEdits.Sort(scene),
        0 or 1 => Push(scene, scene.Key(Kind)),
        2 => Pop(scene),
        3 => Move(scene, isWaiting: false),
        4 => MultiPop(scene, scene.Keys(Kind), isWaiting: false),
        5 or 6 => WaitForOne(scene),
        7 or 8 => Move(scene, isWaiting: true),
        9 or 10 => MultiPop(scene, scene.Keys(Kind), isWaiting: true),
        _ => scene.Dice.OneIn(2) ? Trim(scene) : Range(scene.Key(Kind)),
    };

    /// <summary>LRANGE of all.</summary>
    public static TypedCommand Range(string key) => new(["LRANGE", key, "0", "-1"], run =>
        !run.TryGet(key, out Content.Elements? list) ? Shown.WrongType
            : Shown.Many((list?.Items ?? []).Select(Shown.Bulk)));

    /// <summary>LPUSH and the like.</summary>
    public static TypedCommand Push(Scene scene, string key)
    {
        bool isHead = scene.Dice.OneIn(2);
        bool mustExist = scene.Dice.OneIn(6);
        string[] values = scene.Values();
        return new([$"{(isHead ? 'L' : 'R')}PUSH{(mustExist ? "X" : "")}", key, .. values], run =>
        {
            if (!run.TryGet(key, out Content.Elements? list))
                return Shown.WrongType;
            if (list is null && mustExist)
                return Shown.Integer(0);
            ImmutableList<string> items = list?.Items ?? [];
            items = isHead ? items.InsertRange(0, values.Reverse()) : items.AddRange(values);
            run.Put(key, new Content.Elements(items));
            return Shown.Integer(items.Count);
        });
    }

    private static TypedCommand Pop(Scene scene)
    {
        bool isHead = scene.Dice.OneIn(2);
        string key = scene.Key(Kind);
        return new([isHead ? "LPOP" : "RPOP", key], run =>
            !run.TryGet(key, out Content.Elements? list) ? Shown.WrongType
                : list is null ? Shown.Null : Take(run, key, list, isHead, 1)[0]);
    }

    private static TypedCommand WaitForOne(Scene scene)
    {
        bool isHead = scene.Dice.OneIn(2);
        string[] keys = scene.Keys(Kind);
        long timeoutMs = scene.TimeoutMs();
        string? Run(ModelRun run)
        {
            foreach (string key in keys)
            {
                if (!run.TryGet(key, out Content.Elements? list))
                    return Shown.WrongType;
                if (list is not null)
                    return Shown.Many(Shown.Bulk(key), Take(run, key, list, isHead, 1)[0]);
            }

            return run.Block(Kind, keys, Run);
        }

        return new([isHead ? "BLPOP" : "BRPOP", .. keys, Scene.Seconds(timeoutMs)], Run)
        {
            TimeoutMs = timeoutMs,
        };
    }

    /// <summary>LMPOP and BLMPOP.</summary>
    public static TypedCommand MultiPop(Scene scene, string[] keys, bool isWaiting)
    {
        bool isHead = scene.Dice.OneIn(2);
        int count = scene.Count();
        long timeoutMs = isWaiting ? scene.TimeoutMs() : 0;
        string? Run(ModelRun run)
        {
            foreach (string key in keys)
            {
                if (!run.TryGet(key, out Content.Elements? list))
                    return Shown.WrongType;
                if (list is not null)
                    return Shown.Many(Shown.Bulk(key), Shown.Many(Take(run, key, list, isHead, count)));
            }

            return isWaiting ? run.Block(Kind, keys, Run) : Shown.Null;
        }

        string[] name = isWaiting ? ["BLMPOP", Scene.Seconds(timeoutMs)] : ["LMPOP"];
        string[] end = [isHead ? "LEFT" : "RIGHT", "COUNT", Scene.Text(count)];
        return new([.. name, Scene.Text(keys.Length), .. keys, .. end], Run) { TimeoutMs = timeoutMs };
    }

    private static TypedCommand Move(Scene scene, bool isWaiting)
    {
        bool isFromHead = scene.Dice.OneIn(2);
        bool isToHead = scene.Dice.OneIn(2);
        string from = scene.Key(Kind);
        string to = scene.Key(Kind);
        long timeoutMs = isWaiting ? scene.TimeoutMs() : 0;
        string? Run(ModelRun run)
        {
            if (!run.TryGet(from, out Content.Elements? source))
                return Shown.WrongType;
            if (source is null)
                return isWaiting ? run.Block(Kind, [from], Run) : Shown.Null;
            if (!run.TryGet(to, out Content.Elements? _))
                return Shown.WrongType;
            string value = source.Items[isFromHead ? 0 : source.Items.Count - 1];
            if (from == to)
            {
                ImmutableList<string> turned = Without(source.Items, isFromHead, 1);
                run.Put(to, new Content.Elements(turned.Insert(isToHead ? 0 : turned.Count, value)));
                return Shown.Bulk(value);
            }

            run.TryGet(to, out Content.Elements? target);
            ImmutableList<string> items = target?.Items ?? [];
            run.Put(to, new Content.Elements(items.Insert(isToHead ? 0 : items.Count, value)));
            run.Put(from, new Content.Elements(Without(source.Items, isFromHead, 1)));
            return Shown.Bulk(value);
        }

        string[] words = [from, to, isFromHead ? "LEFT" : "RIGHT", isToHead ? "LEFT" : "RIGHT"];
        return isWaiting
            ? new(["BLMOVE", .. words, Scene.Seconds(timeoutMs)], Run) { TimeoutMs = timeoutMs }
            : new(["LMOVE", .. words], Run);
    }

    private static TypedCommand Trim(Scene scene)
    {
        string key = scene.Key(Kind);
        int count = scene.Count();
        return new(["LTRIM", key, "0", Scene.Text(count - 1)], run =>
        {
            if (!run.TryGet(key, out Content.Elements? list))
                return Shown.WrongType;
            if (list is not null)
                run.Put(key, new Content.Elements([.. list.Items.Take(count)]));
            return Shown.Ok;
        });
    }

    private static string[] Take(
        ModelRun run, string key, Content.Elements list, bool isHead, int countMax)
    {
        int count = Math.Min(countMax, list.Items.Count);
        IEnumerable<string> taken = isHead ? list.Items.Take(count) : list.Items.Reverse().Take(count);
        string[] shown = [.. taken.Select(Shown.Bulk)];
        run.Put(key, new Content.Elements(Without(list.Items, isHead, count)));
        return shown;
    }

    private static ImmutableList<string> Without(ImmutableList<string> items, bool isHead, int count) =>
        items.RemoveRange(isHead ? 0 : items.Count - count, count);
}
