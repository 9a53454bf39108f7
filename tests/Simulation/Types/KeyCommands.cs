using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands of strings and of keys of any type, and what they mean.</summary>
internal static class KeyCommands
{
    /// <summary>A random command of a string.</summary>
    public static TypedCommand MakeOfString(Scene scene) => scene.Dice.Below(6) switch
    {
        5 => Combine(scene),
        0 => Set(scene),
        1 => Append(scene),
        2 => GetAndDelete(scene),
        _ => Get(scene.Key("string")),
    };

    /// <summary>A random command of any key.</summary>
    public static TypedCommand Make(Scene scene) => scene.Dice.Below(16) switch
    {
        0 or 1 or 2 => Delete(scene),
        3 or 4 or 5 => Rename(scene),
        6 or 7 => Copy(scene),
        8 or 9 or 10 => Move(scene),
        11 => scene.Dice.OneIn(2) ? Swap() : Copy(scene),
        12 => scene.Dice.OneIn(3) ? Clear(scene) : Delete(scene),
        13 or 14 => Expire(scene, scene.AnyKey(), scene.Deadline()),
        _ => scene.IsQueued ? All() : Type(scene.AnyKey()),
    };

    // Outside of a transaction it is not what there was at one moment. Some keys the model does not know.
    private static TypedCommand All() => new(["KEYS", "[a-z]*"], static run =>
        Shown.Many(run.All().Select(Shown.Bulk).Order(System.StringComparer.Ordinal)))
    {
        Show = Shown.Sorted,
    };

    /// <summary>GET.</summary>
    public static TypedCommand Get(string key) => new(["GET", key], run =>
        run.TryGet(key, out Content.Text? text) ? Shown.Bulk(text?.Value) : Shown.WrongType);

    /// <summary>TYPE.</summary>
    public static TypedCommand Type(string key) =>
        new(["TYPE", key], run => $"+{run.Find(key)?.Kind ?? "none"}");

    /// <summary>PEXPIRETIME.</summary>
    public static TypedCommand Deadline(Scene scene, string key) => new(["PEXPIRETIME", key], run =>
        run.FindIn(new Place(run.Database, key)) is not { } entry ? Shown.Integer(-2)
            : entry.Deadline is { } era ? $":{scene.UntilMs(era)}" : Shown.Integer(-1));

    private static TypedCommand Set(Scene scene)
    {
        string key = scene.Dice.OneIn(4) ? scene.AnyKey() : scene.Key("string");
        string value = scene.Value();
        int? deadline = scene.Dice.OneIn(2) ? scene.Deadline() : null;
        string[] until = deadline is { } era ? ["PXAT", scene.UntilMs(era)] : [];
        return new(["SET", key, value, .. until], run =>
        {
            run.Store(new Place(run.Database, key), new Content.Text(value), deadline);
            return Shown.Ok;
        });
    }

    private static TypedCommand Append(Scene scene)
    {
        string key = scene.Key("string");
        string value = scene.Value();
        return new(["APPEND", key, value], run =>
        {
            if (!run.TryGet(key, out Content.Text? text))
                return Shown.WrongType;
            string whole = text?.Value + value;
            run.Put(key, new Content.Text(whole));
            return Shown.Integer(whole.Length);
        });
    }

    private static TypedCommand Combine(Scene scene)
    {
        string to = scene.Key("string");
        string[] from = [scene.Key("string"), scene.Key("string")];
        return new(["BITOP", "OR", to, .. from], run =>
        {
            if (!run.TryGet(from[0], out Content.Text? one) || !run.TryGet(from[1], out Content.Text? other))
                return Shown.WrongType;
            string left = one?.Value ?? "";
            string right = other?.Value ?? "";
            char[] all = (left.Length > right.Length ? left : right).ToCharArray();
            for (int index = 0; index < Math.Min(left.Length, right.Length); index++)
                all[index] = (char)(left[index] | right[index]);
            if (all.Length == 0)
                run.Remove(new Place(run.Database, to));
            else
                run.Store(new Place(run.Database, to), new Content.Text(new string(all)), null);
            return Shown.Integer(all.Length);
        });
    }

    private static TypedCommand GetAndDelete(Scene scene)
    {
        string key = scene.Key("string");
        return new(["GETDEL", key], run =>
        {
            if (!run.TryGet(key, out Content.Text? text))
                return Shown.WrongType;
            run.Remove(new Place(run.Database, key));
            return Shown.Bulk(text?.Value);
        });
    }

    private static TypedCommand Delete(Scene scene)
    {
        string[] keys = [.. scene.Dice.Some(2, scene.AnyKey).Distinct()];
        return new([scene.Dice.Pick("DEL", "UNLINK"), .. keys], run =>
            Shown.Integer(keys.Count(key => run.Remove(new Place(run.Database, key)))));
    }

    private static TypedCommand Rename(Scene scene)
    {
        bool mayReplace = scene.Dice.OneIn(2);
        string from = scene.AnyKey();
        string to = scene.Dice.OneIn(2) ? scene.AnyKey() : Other(from);
        return new([mayReplace ? "RENAME" : "RENAMENX", from, to], run =>
        {
            if (run.FindIn(new Place(run.Database, from)) is not { } entry)
                return Shown.Error;
            if (from == to)
                return mayReplace ? Shown.Ok : Shown.Integer(0);
            if (!mayReplace && run.Find(to) is not null)
                return Shown.Integer(0);
            Replace(run, new Place(run.Database, to), entry);
            run.Remove(new Place(run.Database, from));
            return mayReplace ? Shown.Ok : Shown.Integer(1);
        });
    }

    private static TypedCommand Copy(Scene scene)
    {
        bool mayReplace = scene.Dice.OneIn(2);
        string from = scene.AnyKey();
        string to = scene.Dice.OneIn(3) ? from : Other(from);
        int database = scene.Dice.Below(Scene.DatabaseCount);
        string[] replace = mayReplace ? ["REPLACE"] : [];
        return new(["COPY", from, to, "DB", Scene.Text(database), .. replace], run =>
        {
            var source = new Place(run.Database, from);
            var target = new Place(database, to);
            if (source == target)
                return Shown.Error;
            if (run.FindIn(source) is not { } entry || (run.FindIn(target) is not null && !mayReplace))
                return Shown.Integer(0);
            Replace(run, target, entry);
            return Shown.Integer(1);
        });
    }

    private static TypedCommand Move(Scene scene)
    {
        string key = scene.AnyKey();
        int database = scene.Dice.Below(Scene.DatabaseCount);
        return new(["MOVE", key, Scene.Text(database)], run =>
        {
            var source = new Place(run.Database, key);
            var target = new Place(database, key);
            if (source == target)
                return Shown.Error;
            if (run.FindIn(source) is not { } entry || run.FindIn(target) is not null)
                return Shown.Integer(0);
            Replace(run, target, entry);
            run.Remove(source);
            return Shown.Integer(1);
        });
    }

    private static TypedCommand Swap() => new(["SWAPDB", "0", "1"], run =>
    {
        run.Swap(0, 1);
        return Shown.Ok;
    });

    /// <summary>FLUSHALL or FLUSHDB.</summary>
    public static TypedCommand Clear(Scene scene)
    {
        bool isAll = scene.Dice.OneIn(2);
        string[] way = scene.Dice.Pick<string[]>([], ["SYNC"], ["ASYNC"]);
        return new([isAll ? "FLUSHALL" : "FLUSHDB", .. way], run =>
        {
            run.Clear(isAll ? null : run.Database);
            return Shown.Ok;
        });
    }

    /// <summary>PEXPIREAT.</summary>
    public static TypedCommand Expire(Scene scene, string key, int deadline) =>
        new(["PEXPIREAT", key, scene.UntilMs(deadline)], run =>
        {
            var place = new Place(run.Database, key);
            if (run.FindIn(place) is not { } entry)
                return Shown.Integer(0);
            run.Store(place, entry.Content, deadline);
            return Shown.Integer(1);
        });

    // What was there goes first, and then what is new comes.
    private static void Replace(ModelRun run, Place place, Entry entry)
    {
        run.Remove(place);
        run.Store(place, entry.Content, entry.Deadline);
    }

    private static string Other(string key) => key[..^1] + (key[^1] == '0' ? '1' : '0');
}
