using System.Collections.Generic;
using System.Collections.Immutable;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands of hashes and of their fields' deadlines, and what they mean.</summary>
internal static class HashCommands
{
    private const string Kind = "hash";

    /// <summary>A random command.</summary>
    /// <param name="scene">The source of names and values.</param>
    /// <param name="seemsLate">For the canary: fields seem to stay longer than they should.</param>
    public static TypedCommand Make(Scene scene, bool seemsLate) => scene.Dice.Below(11) switch
    {
        0 or 1 or 2 => Set(scene),
        3 => Remove(scene),
        4 => Increment(scene),
        5 or 6 => Expire(scene, seemsLate),
        7 => Persist(scene),
        8 => GetAndExpire(scene),
        9 => SetAndExpire(scene),
        _ => All(scene.Key(Kind)),
    };

    /// <summary>HGETALL.</summary>
    public static TypedCommand All(string key) => new(["HGETALL", key], run =>
        !run.TryGet(key, out Content.Fields? hash) ? Shown.WrongType
            : Shown.Many((hash?.Items ?? None).OrderBy(static one => Shown.Bulk(one.Key),
                    System.StringComparer.Ordinal)
                .SelectMany(static one => new[] { Shown.Bulk(one.Key), Shown.Bulk(one.Value.Text) })))
    {
        Show = Shown.SortedPairs,
    };

    /// <summary>HPEXPIRETIME of some fields.</summary>
    public static TypedCommand Deadlines(Scene scene, string key, string[] fields) =>
        new(["HPEXPIRETIME", key, "FIELDS", Scene.Text(fields.Length), .. fields], run =>
            !run.TryGet(key, out Content.Fields? hash) ? Shown.WrongType
                : Shown.Many(fields.Select(field => hash?.Items.GetValueOrDefault(field) is not { } found
                    ? Shown.Integer(-2)
                    : found.Deadline is { } era ? $":{scene.UntilMs(era)}" : Shown.Integer(-1))));

    private static ImmutableSortedDictionary<string, Content.Field> None => Content.Fields.None.Items;

    private static TypedCommand Set(Scene scene)
    {
        string key = scene.Key(Kind);
        (string Field, string Value)[] all = scene.Pairs();
        return new(["HSET", key, .. all.SelectMany(static one => new[] { one.Field, one.Value })], run =>
        {
            if (!run.TryGet(key, out Content.Fields? hash))
                return Shown.WrongType;
            ImmutableSortedDictionary<string, Content.Field> items = hash?.Items ?? None;
            int added = all.Count(one => !items.ContainsKey(one.Field));
            run.Put(key, new Content.Fields(items.SetItems(all.Select(static one =>
                KeyValuePair.Create(one.Field, new Content.Field(one.Value, null))))));
            return Shown.Integer(added);
        });
    }

    private static TypedCommand Remove(Scene scene)
    {
        string key = scene.Key(Kind);
        string[] fields = scene.Members();
        return new(["HDEL", key, .. fields], run =>
        {
            if (!run.TryGet(key, out Content.Fields? hash))
                return Shown.WrongType;
            int removed = fields.Count(field => hash?.Items.ContainsKey(field) is true);
            if (removed > 0)
                run.Put(key, new Content.Fields(hash!.Items.RemoveRange(fields)));
            return Shown.Integer(removed);
        });
    }

    private static TypedCommand Increment(Scene scene)
    {
        string key = scene.Key(Kind);
        string field = $"n{scene.Dice.Below(2)}";
        return new(["HINCRBY", key, field, "3"], run =>
        {
            if (!run.TryGet(key, out Content.Fields? hash))
                return Shown.WrongType;
            ImmutableSortedDictionary<string, Content.Field> items = hash?.Items ?? None;
            Content.Field old = items.GetValueOrDefault(field) ?? new Content.Field("0", null);
            long sum = long.Parse(old.Text, CultureInfo.InvariantCulture) + 3;
            run.Put(key, new Content.Fields(items.SetItem(field, old with { Text = Scene.Text(sum) })));
            return Shown.Integer(sum);
        });
    }

    private static TypedCommand Expire(Scene scene, bool seemsLate)
    {
        string key = scene.Key(Kind);
        string[] fields = scene.Members();
        int deadline = scene.Deadline();
        string until = scene.UntilMs(seemsLate ? deadline + 1 : deadline);
        return new(["HPEXPIREAT", key, until, "FIELDS", Scene.Text(fields.Length), .. fields], run =>
            !run.TryGet(key, out Content.Fields? hash) ? Shown.WrongType
                : Shown.Many(fields.Select(field => Shown.Integer(hash?.Items.ContainsKey(field) is not true
                    ? -2
                    : SetDeadline(run, key, field, deadline)))));
    }

    private static TypedCommand Persist(Scene scene)
    {
        string key = scene.Key(Kind);
        string field = scene.Member();
        return new(["HPERSIST", key, "FIELDS", "1", field], run =>
        {
            if (!run.TryGet(key, out Content.Fields? hash))
                return Shown.WrongType;
            if (hash?.Items.GetValueOrDefault(field) is not { } found)
                return Shown.Many(Shown.Integer(-2));
            if (found.Deadline is null)
                return Shown.Many(Shown.Integer(-1));
            run.Put(key, new Content.Fields(hash.Items.SetItem(field, found with { Deadline = null })));
            return Shown.Many(Shown.Integer(1));
        });
    }

    private static TypedCommand GetAndExpire(Scene scene)
    {
        string key = scene.Key(Kind);
        string field = scene.Member();
        int? deadline = scene.Dice.OneIn(2) ? null : scene.Deadline();
        string[] words = deadline is { } era ? ["HGETEX", key, "PXAT", scene.UntilMs(era)] : ["HGETDEL", key];
        return new([.. words, "FIELDS", "1", field], run =>
        {
            if (!run.TryGet(key, out Content.Fields? hash))
                return Shown.WrongType;
            if (hash?.Items.GetValueOrDefault(field) is not { } found)
                return Shown.Many(Shown.Null);
            if (deadline is { } until)
                SetDeadline(run, key, field, until);
            else
                run.Put(key, new Content.Fields(hash.Items.Remove(field)));
            return Shown.Many(Shown.Bulk(found.Text));
        });
    }

    private static TypedCommand SetAndExpire(Scene scene)
    {
        string key = scene.Key(Kind);
        string field = scene.Member();
        string value = scene.Value();
        string condition = scene.Dice.Pick("", "FNX", "FXX");
        int deadline = scene.Deadline();
        string[] option = condition.Length == 0 ? [] : [condition];
        return new(
            ["HSETEX", key, .. option, "PXAT", scene.UntilMs(deadline), "FIELDS", "1", field, value], run =>
        {
            if (!run.TryGet(key, out Content.Fields? hash))
                return Shown.WrongType;
            ImmutableSortedDictionary<string, Content.Field> items = hash?.Items ?? None;
            bool isThere = items.ContainsKey(field);
            if ((condition == "FNX" && isThere) || (condition == "FXX" && !isThere))
                return Shown.Integer(0);
            if (deadline < run.Era)
                run.Put(key, new Content.Fields(items.Remove(field)));
            else
                run.Put(key, new Content.Fields(items.SetItem(field, new Content.Field(value, deadline))));
            return Shown.Integer(1);
        });
    }

    // What HPEXPIREAT replies.
    private static int SetDeadline(ModelRun run, string key, string field, int deadline)
    {
        ImmutableSortedDictionary<string, Content.Field> items = ((Content.Fields)run.Find(key)!).Items;
        bool isPast = deadline < run.Era;
        run.Put(key, new Content.Fields(isPast
            ? items.Remove(field)
            : items.SetItem(field, items[field] with { Deadline = deadline })));
        return isPast ? 2 : 1;
    }
}
