using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>XREAD and XREADGROUP, and what they mean.</summary>
internal static class StreamReads
{
    /// <summary>A random command.</summary>
    public static TypedCommand Make(Scene scene) => scene.Dice.Below(4) switch
    {
        0 or 1 => Read(scene),
        2 => scene.Dice.OneIn(4) ? ReadHistory(scene) : ReadGroup(scene),
        _ => ReadGroup(scene),
    };

    private static TypedCommand Read(Scene scene)
    {
        string[] keys = scene.Keys(StreamCommands.Kind);
        // −1 is "$".
        long[] froms = [.. keys.Select(_ => scene.Dice.OneIn(2) ? -1L : scene.Dice.Below(20))];
        (int countMax, bool isWaiting, long timeoutMs) = Options(scene);
        string? Run(ModelRun run, long[] above)
        {
            List<string> shown = [];
            long[] resolved = [.. above];
            for (int index = 0; index < keys.Length; index++)
            {
                if (!run.TryGet(keys[index], out Content.Stream? stream))
                    return Shown.WrongType;
                stream ??= Content.Stream.None;
                resolved[index] = above[index] < 0 ? stream.Last : above[index];
                (long, string)[] entries = [.. stream.Entries.Where(one => one.Key > resolved[index])
                    .Take(countMax).Select(static one => (one.Key, one.Value))];
                if (entries.Length > 0)
                    shown.Add(Show(keys[index], entries));
            }

            if (shown.Count > 0)
                return Shown.Many(shown);
            return isWaiting
                ? run.BlockOnStreams(
                    keys, again => Run(again, resolved), $":{string.Join(',', resolved)}", isGroup: false)
                : Shown.Null;
        }

        string[] ids = [.. froms.Select(static from => from < 0 ? "$" : $"0-{from}")];
        return new(["XREAD", .. Words(countMax, isWaiting, timeoutMs), "STREAMS", .. keys, .. ids],
            run => Run(run, froms)) { TimeoutMs = timeoutMs };
    }

    private static TypedCommand ReadGroup(Scene scene)
    {
        string[] keys = scene.Keys(StreamCommands.Kind);
        string name = scene.Group();
        string consumer = $"c{scene.Dice.Below(3)}";
        bool isNoted = !scene.Dice.OneIn(4);
        (int countMax, bool isWaiting, long timeoutMs) = Options(scene);
        string? Run(ModelRun run)
        {
            if (Refusal(run, keys, name) is { } refusal)
                return refusal;
            List<string> shown = [];
            foreach (string key in keys)
            {
                run.TryGet(key, out Content.Stream? stream);
                Content.Group group = stream!.Groups[name];
                (long Id, string)[] entries = [.. stream.Entries.Where(one => one.Key > group.Delivered)
                    .Take(countMax).Select(static one => (one.Key, one.Value))];
                if (entries.Length == 0)
                    continue;
                shown.Add(Show(key, entries));
                ImmutableSortedDictionary<long, string> pending = isNoted
                    ? group.Pending.SetItems(
                        entries.Select(one => KeyValuePair.Create(one.Id, consumer)))
                    : group.Pending;
                run.Put(key, stream with
                {
                    Groups = stream.Groups.SetItem(name, new Content.Group(entries[^1].Id, pending)),
                });
            }

            if (shown.Count > 0)
                return Shown.Many(shown);
            return isWaiting ? run.BlockOnStreams(keys, Run, "", isGroup: true) : Shown.Null;
        }

        string[] options = [.. Words(countMax, isWaiting, timeoutMs), .. isNoted ? (string[])[] : ["NOACK"]];
        return new(["XREADGROUP", "GROUP", name, consumer, .. options, "STREAMS", .. keys,
            .. keys.Select(static _ => ">")], Run) { TimeoutMs = timeoutMs };
    }

    private static TypedCommand ReadHistory(Scene scene)
    {
        string key = scene.Key(StreamCommands.Kind);
        string name = scene.Group();
        string consumer = $"c{scene.Dice.Below(3)}";
        return new(["XREADGROUP", "GROUP", name, consumer, "BLOCK", "0", "STREAMS", key, "0"], run =>
        {
            if (Refusal(run, [key], name) is { } refusal)
                return refusal;
            run.TryGet(key, out Content.Stream? stream);
            IEnumerable<string> entries = stream!.Groups[name].Pending
                .Where(one => one.Value == consumer)
                .Select(one => StreamCommands.Show(one.Key, stream.Entries.GetValueOrDefault(one.Key)));
            return Shown.Many(Shown.Many(Shown.Bulk(key), Shown.Many(entries)));
        });
    }

    private static string? Refusal(ModelRun run, string[] keys, string name)
    {
        foreach (string key in keys)
        {
            if (!run.TryGet(key, out Content.Stream? stream))
                return Shown.WrongType;
            if (stream?.Groups.ContainsKey(name) is not true)
                return Shown.NoGroup;
        }

        return null;
    }

    private static string Show(string key, (long Id, string Value)[] entries) => Shown.Many(
        Shown.Bulk(key),
        Shown.Many(entries.Select(static one => StreamCommands.Show(one.Id, one.Value))));

    private static (int CountMax, bool IsWaiting, long TimeoutMs) Options(Scene scene)
    {
        bool isWaiting = !scene.Dice.OneIn(4);
        return (scene.Count(), isWaiting, isWaiting ? scene.TimeoutMs() : 0);
    }

    private static string[] Words(int countMax, bool isWaiting, long timeoutMs) =>
    [
        "COUNT", Scene.Text(countMax), .. isWaiting ? (string[])["BLOCK", Scene.Text(timeoutMs)] : [],
    ];
}
