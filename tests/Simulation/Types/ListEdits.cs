using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Random commands that make a new list from an existing one, in the slow lane if that takes long,
/// and their effects.</summary>
internal static class ListEdits
{
    private const string Kind = "list";

    /// <summary>A random command that changes a list in the middle.</summary>
    public static TypedCommand Make(Scene scene) => scene.Dice.OneIn(2) ? Remove(scene) : Insert(scene);

    /// <summary>SORT with STORE.</summary>
    public static TypedCommand Sort(Scene scene)
    {
        string from = scene.Key(scene.Dice.Pick(Kind, Kind, "set", "zset"));
        string to = scene.Key(Kind);
        return new(["SORT", from, "ALPHA", "STORE", to], run =>
        {
            Content? found = run.Find(from);
            IEnumerable<string>? items = found switch
            {
                null => [],
                Content.Elements list => list.Items,
                Content.Members set => set.Items,
                Content.Scores scores => scores.Items.Keys,
                _ => null,
            };
            if (items is null)
                return Shown.WrongType;
            ImmutableList<string> sorted = [.. items.Order(StringComparer.Ordinal)];
            run.Store(new Place(run.Database, to), new Content.Elements(sorted), null);
            return Shown.Integer(sorted.Count);
        });
    }

    private static TypedCommand Remove(Scene scene)
    {
        string key = scene.Key(Kind);
        string value = scene.SomeValue();
        int count = scene.Dice.Below(3) - 1;
        return new(["LREM", key, Scene.Text(count), value], run =>
        {
            if (!run.TryGet(key, out Content.Elements? list))
                return Shown.WrongType;
            ImmutableList<string> items = list?.Items ?? [];
            ImmutableList<string> left = count switch
            {
                0 => items.RemoveAll(one => one == value),
                > 0 => items.Remove(value),
                _ => items.LastIndexOf(value) is >= 0 and int index ? items.RemoveAt(index) : items,
            };
            if (left.Count < items.Count)
                run.Put(key, new Content.Elements(left));
            return Shown.Integer(items.Count - left.Count);
        });
    }

    private static TypedCommand Insert(Scene scene)
    {
        string key = scene.Key(Kind);
        string pivot = scene.SomeValue();
        string value = scene.Value();
        bool isBefore = scene.Dice.OneIn(2);
        return new(["LINSERT", key, isBefore ? "BEFORE" : "AFTER", pivot, value], run =>
        {
            if (!run.TryGet(key, out Content.Elements? list))
                return Shown.WrongType;
            if (list is null)
                return Shown.Integer(0);
            int index = list.Items.IndexOf(pivot);
            if (index < 0)
                return Shown.Integer(-1);
            run.Put(key, new Content.Elements(list.Items.Insert(isBefore ? index : index + 1, value)));
            return Shown.Integer(list.Items.Count + 1);
        });
    }
}
