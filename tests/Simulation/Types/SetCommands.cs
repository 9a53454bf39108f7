using System;
using System.Collections.Immutable;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands of sets, and what they mean.</summary>
internal static class SetCommands
{
    private const string Kind = "set";

    /// <summary>A random command.</summary>
    public static TypedCommand Make(Scene scene) => scene.Dice.Below(8) switch
    {
        0 or 1 or 2 => Add(scene),
        3 => Remove(scene),
        4 => Move(scene),
        5 => PopAll(scene),
        6 => Combine(scene),
        _ => All(scene.Key(Kind)),
    };

    /// <summary>SMEMBERS.</summary>
    public static TypedCommand All(string key) => new(["SMEMBERS", key], run =>
        !run.TryGet(key, out Content.Members? set) ? Shown.WrongType : Show(set)) { Show = Shown.Sorted };

    private static string Show(Content.Members? set) =>
        Shown.Many((set?.Items ?? []).Select(Shown.Bulk).Order(StringComparer.Ordinal));

    private static TypedCommand Add(Scene scene)
    {
        string key = scene.Key(Kind);
        string[] members = scene.Members();
        return new(["SADD", key, .. members], run =>
        {
            if (!run.TryGet(key, out Content.Members? set))
                return Shown.WrongType;
            ImmutableSortedSet<string> old = (set ?? Content.Members.None).Items;
            ImmutableSortedSet<string> all = old.Union(members);
            run.Put(key, new Content.Members(all));
            return Shown.Integer(all.Count - old.Count);
        });
    }

    private static TypedCommand Remove(Scene scene)
    {
        string key = scene.Key(Kind);
        string[] members = scene.Members();
        return new(["SREM", key, .. members], run =>
        {
            if (!run.TryGet(key, out Content.Members? set))
                return Shown.WrongType;
            if (set is null)
                return Shown.Integer(0);
            ImmutableSortedSet<string> left = set.Items.Except(members);
            run.Put(key, new Content.Members(left));
            return Shown.Integer(set.Items.Count - left.Count);
        });
    }

    private static TypedCommand Move(Scene scene)
    {
        string from = scene.Key(Kind);
        string to = scene.Key(Kind);
        string member = scene.Member();
        return new(["SMOVE", from, to, member], run =>
        {
            bool isSet = run.TryGet(from, out Content.Members? source);
            if (isSet && source is null)
                return Shown.Integer(0);
            if (!isSet || !run.TryGet(to, out Content.Members? target))
                return Shown.WrongType;
            if (!source!.Items.Contains(member))
                return Shown.Integer(0);
            if (from == to)
                return Shown.Integer(1);
            run.Put(from, new Content.Members(source.Items.Remove(member)));
            run.Put(to, new Content.Members((target ?? Content.Members.None).Items.Add(member)));
            return Shown.Integer(1);
        });
    }

    private static TypedCommand PopAll(Scene scene)
    {
        string key = scene.Key(Kind);
        return new(["SPOP", key, "1000"], run =>
        {
            if (!run.TryGet(key, out Content.Members? set))
                return Shown.WrongType;
            run.Remove(new Place(run.Database, key));
            return Show(set);
        })
        {
            Show = Shown.Sorted,
        };
    }

    private static TypedCommand Combine(Scene scene)
    {
        string name = scene.Dice.Pick("SUNIONSTORE", "SINTERSTORE", "SDIFFSTORE");
        string to = scene.Key(Kind);
        string[] from = [scene.Key(Kind), scene.Key(Kind)];
        return new([name, to, .. from], run =>
        {
            if (!run.TryGet(from[0], out Content.Members? first)
                || !run.TryGet(from[1], out Content.Members? second))
                return Shown.WrongType;
            ImmutableSortedSet<string> one = (first ?? Content.Members.None).Items;
            ImmutableSortedSet<string> other = (second ?? Content.Members.None).Items;
            ImmutableSortedSet<string> result = name[1] switch
            {
                'U' => one.Union(other),
                'I' => one.Intersect(other),
                _ => one.Except(other),
            };
            run.Store(new Place(run.Database, to), new Content.Members(result), null);
            return Shown.Integer(result.Count);
        });
    }
}
