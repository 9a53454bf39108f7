using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands of streams and their groups, and what they mean; those that read have a file of
/// their own. All IDs begin with 0.</summary>
internal static class StreamCommands
{
    /// <summary>The prefix of a stream's key.</summary>
    public const string Kind = "stream";

    /// <summary>A random command.</summary>
    public static TypedCommand Make(Scene scene) => scene.Dice.Below(18) switch
    {
        0 or 1 or 2 or 3 => Add(scene),
        4 => Delete(scene),
        5 => Trim(scene),
        6 or 7 => CreateGroup(scene),
        8 => DestroyGroup(scene),
        9 => Acknowledge(scene),
        10 => Claim(scene),
        11 => Pending(scene.Key(Kind), scene.Group()),
        12 => Range(scene.Key(Kind)),
        _ => StreamReads.Make(scene),
    };

    /// <summary>XRANGE of all.</summary>
    public static TypedCommand Range(string key) => new(["XRANGE", key, "-", "+"], run =>
        !run.TryGet(key, out Content.Stream? stream) ? Shown.WrongType
            : Shown.Many((stream ?? Content.Stream.None).Entries
                .Select(static one => Show(one.Key, one.Value))));

    /// <summary>XPENDING of all.</summary>
    public static TypedCommand Pending(string key, string name) => new(["XPENDING", key, name], run =>
    {
        if (!run.TryGet(key, out Content.Stream? stream))
            return Shown.WrongType;
        if (stream?.Groups.GetValueOrDefault(name) is not { } group)
            return Shown.NoGroup;
        if (group.Pending.IsEmpty)
            return Shown.Many(Shown.Integer(0), Shown.Null, Shown.Null, Shown.Null);
        IEnumerable<string> consumers = group.Pending.Values.GroupBy(static consumer => consumer)
            .OrderBy(static one => one.Key, StringComparer.Ordinal)
            .Select(static one => Shown.Many(Shown.Bulk(one.Key), Shown.Number(one.Count())));
        return Shown.Many(Shown.Integer(group.Pending.Count), Id(group.Pending.Keys.First()),
            Id(group.Pending.Keys.Last()), Shown.Many(consumers));
    });

    /// <summary>An ID as a reply shows it.</summary>
    public static string Id(long number) => string.Create(CultureInfo.InvariantCulture, $"$0-{number}");

    /// <summary>An entry as a reply shows it; null: it is gone.</summary>
    public static string Show(long number, string? value) => Shown.Many(
        Id(number), value is null ? Shown.Null : Shown.Many(Shown.Bulk("f"), Shown.Bulk(value)));

    /// <summary>Some IDs of entries that may be there.</summary>
    public static long[] SomeIds(Scene scene) =>
        [.. scene.Dice.Some(4, () => 1L + scene.Dice.Below(20)).Distinct()];

    /// <summary>IDs in words.</summary>
    public static string[] Words(long[] ids) =>
        [.. ids.Select(static id => string.Create(CultureInfo.InvariantCulture, $"0-{id}"))];

    private static TypedCommand Add(Scene scene)
    {
        string key = scene.Key(Kind);
        string value = scene.Value();
        bool mustExist = scene.Dice.OneIn(6);
        int? lengthMax = scene.Dice.OneIn(6) ? scene.Dice.Below(4) : null;
        string[] make = mustExist ? ["NOMKSTREAM"] : [];
        string[] trim = lengthMax is { } length ? ["MAXLEN", "=", Scene.Text(length)] : [];
        return new(["XADD", key, .. make, .. trim, "0-*", "f", value], run =>
        {
            if (!run.TryGet(key, out Content.Stream? stream))
                return Shown.WrongType;
            if (stream is null && mustExist)
                return Shown.Null;
            stream ??= Content.Stream.None;
            long id = stream.Last + 1;
            ImmutableSortedDictionary<long, string> entries = stream.Entries.Add(id, value);
            if (lengthMax is { } left)
                entries = entries.RemoveRange(entries.Keys.SkipLast(left));
            run.Put(key, stream with { Entries = entries, Last = id });
            run.Touch(key);
            return Id(id);
        });
    }

    private static TypedCommand Delete(Scene scene)
    {
        string key = scene.Key(Kind);
        long[] ids = SomeIds(scene);
        return new(["XDEL", key, .. Words(ids)], run =>
        {
            if (!run.TryGet(key, out Content.Stream? stream))
                return Shown.WrongType;
            int deleted = ids.Count(id => stream?.Entries.ContainsKey(id) is true);
            if (deleted > 0)
                run.Put(key, stream! with { Entries = stream.Entries.RemoveRange(ids) });
            return Shown.Integer(deleted);
        });
    }

    private static TypedCommand Trim(Scene scene)
    {
        string key = scene.Key(Kind);
        int length = scene.Dice.Below(6);
        return new(["XTRIM", key, "MAXLEN", Scene.Text(length)], run =>
        {
            if (!run.TryGet(key, out Content.Stream? stream))
                return Shown.WrongType;
            if (stream is null)
                return Shown.Integer(0);
            long[] trimmed = [.. stream.Entries.Keys.SkipLast(length)];
            run.Put(key, stream with { Entries = stream.Entries.RemoveRange(trimmed) });
            return Shown.Integer(trimmed.Length);
        });
    }

    private static TypedCommand CreateGroup(Scene scene)
    {
        string key = scene.Key(Kind);
        string name = scene.Group();
        bool isFromStart = scene.Dice.OneIn(2);
        bool mayMake = !scene.Dice.OneIn(3);
        string[] make = mayMake ? ["MKSTREAM"] : [];
        return new(["XGROUP", "CREATE", key, name, isFromStart ? "0" : "$", .. make], run =>
        {
            if (!run.TryGet(key, out Content.Stream? stream))
                return Shown.WrongType;
            if (stream is null && !mayMake)
                return Shown.Error;
            stream ??= Content.Stream.None;
            if (stream.Groups.ContainsKey(name))
                return "-BUSYGROUP";
            var group = new Content.Group(
                isFromStart ? 0 : stream.Last, ImmutableSortedDictionary<long, string>.Empty);
            run.Put(key, stream with { Groups = stream.Groups.Add(name, group) });
            return Shown.Ok;
        });
    }

    private static TypedCommand DestroyGroup(Scene scene)
    {
        string key = scene.Key(Kind);
        string name = scene.Group();
        return new(["XGROUP", "DESTROY", key, name], run =>
        {
            if (!run.TryGet(key, out Content.Stream? stream))
                return Shown.WrongType;
            if (stream is null)
                return Shown.Error;
            if (!stream.Groups.ContainsKey(name))
                return Shown.Integer(0);
            run.Put(key, stream with { Groups = stream.Groups.Remove(name) });
            run.Touch(key);
            return Shown.Integer(1);
        });
    }

    private static TypedCommand Acknowledge(Scene scene)
    {
        string key = scene.Key(Kind);
        string name = scene.Group();
        long[] ids = SomeIds(scene);
        return new(["XACK", key, name, .. Words(ids)], run =>
        {
            if (!run.TryGet(key, out Content.Stream? stream))
                return Shown.WrongType;
            if (stream?.Groups.GetValueOrDefault(name) is not { } group)
                return Shown.Integer(0);
            int count = ids.Count(group.Pending.ContainsKey);
            run.Put(key, stream with
            {
                Groups = stream.Groups.SetItem(
                    name, group with { Pending = group.Pending.RemoveRange(ids) }),
            });
            return Shown.Integer(count);
        });
    }

    // A pending entry that was deleted from the stream is no longer pending.
    private static TypedCommand Claim(Scene scene)
    {
        string key = scene.Key(Kind);
        string name = scene.Group();
        string consumer = $"c{scene.Dice.Below(3)}";
        long[] ids = SomeIds(scene);
        return new(["XCLAIM", key, name, consumer, "0", .. Words(ids)], run =>
        {
            if (!run.TryGet(key, out Content.Stream? stream))
                return Shown.WrongType;
            if (stream?.Groups.GetValueOrDefault(name) is not { } group)
                return Shown.NoGroup;
            List<string> claimed = [];
            ImmutableSortedDictionary<long, string> pending = group.Pending;
            foreach (long id in ids.Where(pending.ContainsKey))
            {
                bool isThere = stream.Entries.TryGetValue(id, out string? value);
                pending = isThere ? pending.SetItem(id, consumer) : pending.Remove(id);
                if (isThere)
                    claimed.Add(Show(id, value));
            }

            run.Put(key, stream with
            {
                Groups = stream.Groups.SetItem(name, group with { Pending = pending }),
            });
            return Shown.Many(claimed);
        });
    }
}
