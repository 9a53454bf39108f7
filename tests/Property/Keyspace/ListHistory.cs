using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Lists;
using Cinnabar.Platform;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Lists;
using Cinnabar.Tests.Property.Fuzzing;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>A random history of a few lists in checked memory, and of the Lists that they should
/// be.</summary>
internal sealed class ListHistory : CollectionHistory
{
    private const int KeyCount = 4;

    private readonly List<string>[] _models = new List<string>[KeyCount];
    private readonly int _lengthMax;

    public ListHistory(Draws draws, int listpackSize, int compressDepth, int lengthMax)
        : base(draws)
    {
        Limits.ListListpackSize = listpackSize;
        Limits.ListCompressDepth = compressDepth;
        _lengthMax = lengthMax;
        for (int key = 0; key < KeyCount; key++)
            _models[key] = [];
    }

    /// <inheritdoc/>
    public override void Step()
    {
        int index = Below(KeyCount);
        if (Below(12) == 0)
        {
            Copy(index, Below(KeyCount));
            return;
        }

        With(Name(index), key =>
        {
            List<string> model = _models[index];
            if (Below(40) == 0)
            {
                Access.Remove(in key);
                model.Clear();
            }
            else if (model.Count == 0 || Below(5) < 2)
            {
                Push(model, key);
            }
            else
            {
                Edit(model, key);
            }
        });
    }

    /// <inheritdoc/>
    public override void Verify()
    {
        for (int index = 0; index < KeyCount; index++)
        {
            List<string> model = _models[index];
            With(Name(index), key =>
            {
                EntryView entry = Access.Peek(in key);
                Assert.Equal(model.Count == 0, entry.IsMissing);
                Mark(entry, model.Count);
                if (entry.IsMissing)
                    return;
                Assert.Equal(model, Walk(entry.List, model.Count));
                Assert.Equal(model[0], Text(entry.List.At(ListEnd.Head)));
                Assert.Equal(model[^1], Text(entry.List.At(ListEnd.Tail)));
                int rank = Below(model.Count);
                ListCursor cursor = entry.List.CursorAt(rank);
                Assert.Equal(model[rank], Text(cursor.Current));
                Assert.Equal(rank > 0, cursor.MoveBack());
                Assert.Equal(model[Math.Max(rank - 1, 0)], Text(cursor.Current));
            });
        }
    }

    private static List<string> Walk(ListView list, int countMax)
    {
        List<string> found = [];
        Assert.Equal(countMax, list.Count);
        ListCursor cursor = list.CursorAt(0);
        do
        {
            found.Add(Text(cursor.Current));
        }
        while (found.Count <= countMax && cursor.MoveNext());
        return found;
    }

    private void Push(List<string> model, Key key)
    {
        var list = new ListEditor(Access, key, Access.FindSlot(in key));
        ListEnd end = Below(2) == 0 ? ListEnd.Head : ListEnd.Tail;
        int room = _lengthMax - model.Count;
        for (int count = Math.Min(Between(1, 1 + (_lengthMax / 4)), room); count > 0; count--)
        {
            string text = Element();
            list.Push(end, Bytes(text));
            model.Insert(end == ListEnd.Head ? 0 : model.Count, text);
        }
    }

    private void Edit(List<string> model, Key key)
    {
        var list = new ListEditor(Access, key, Access.FindSlot(in key));
        string text = Element();
        byte[] bytes = Bytes(text);
        int rank = Below(model.Count);
        switch (Below(6))
        {
            case 0:
                list.Set(rank, bytes);
                model[rank] = text;
                break;
            case 1:
                rank = Below(model.Count + 1);
                list.Insert(rank, bytes);
                model.Insert(rank, text);
                break;
            case 2:
                int end = Between(rank, model.Count + 1);
                list.RemoveRange(rank, end);
                model.RemoveRange(rank, end - rank);
                break;
            case 3:
                RemoveEqual(ref list, model, model[rank]);
                break;
            default:
                Pop(ref list, model);
                break;
        }

        Assert.Equal(model.Count == 0, list.Complete());
    }

    private void Pop(ref ListEditor list, List<string> model)
    {
        ListEnd end = Below(2) == 0 ? ListEnd.Head : ListEnd.Tail;
        for (int count = Between(1, 1 + model.Count); count > 0; count--)
        {
            int rank = end == ListEnd.Head ? 0 : model.Count - 1;
            Assert.Equal(model[rank], Text(list.View.At(end)));
            list.Pop(end);
            model.RemoveAt(rank);
        }
    }

    private void RemoveEqual(ref ListEditor list, List<string> model, string text)
    {
        ListEnd from = Below(2) == 0 ? ListEnd.Head : ListEnd.Tail;
        int countMax = Between(1, 4);
        int[] ranks = [.. Enumerable.Range(0, model.Count).Where(rank => model[rank] == text)];
        ranks = from == ListEnd.Head ? [.. ranks.Take(countMax)] : [.. ranks.TakeLast(countMax)];
        Assert.Equal(ranks.Length, list.RemoveEqual(Bytes(text), from, countMax));
        foreach (int rank in ranks.Reverse())
            model.RemoveAt(rank);
    }

    private void Copy(int from, int to)
    {
        if (from == to || _models[from].Count == 0)
            return;
        bool isCopy = Below(2) == 0;
        Transfer(Name(from), Name(to), isCopy);
        _models[to] = [.. _models[from]];
        if (!isCopy)
            _models[from].Clear();
    }

    // Few different ones, so that many are equal; now and then one that is longer than a page.
    private string Element()
    {
        int number = Below(30);
        return Below(200) switch
        {
            0 => new string('x', Between(1, 12_000)),
            1 => "",
            2 => long.MinValue.ToString(CultureInfo.InvariantCulture),
            < 60 => $"element {number}",
            < 80 => new string((char)('a' + number % 26), 10 * number),
            _ => (number * number * number - 5_000).ToString(CultureInfo.InvariantCulture),
        };
    }

    private static string Text(ListpackValue value) =>
        Text(value.AsText(stackalloc byte[ListpackValue.ScratchSize]));
}
