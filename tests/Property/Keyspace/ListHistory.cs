using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Platform;
using Cinnabar.Structures;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Structures.Trees;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>A random history of a few lists in checked memory, and of the Lists that they should
/// be.</summary>
internal sealed unsafe class ListHistory : IDisposable
{
    private const int KeyCount = 4;

    private readonly Cinnabar.Keyspace.Keyspace _space;
    private readonly KeyspaceAccess _access;
    private readonly List<string>[] _models = new List<string>[KeyCount];
    private readonly Random _random;
    private readonly int _lengthMax;

    public ListHistory(ulong seed, int listpackSize, int compressDepth, int lengthMax)
    {
        _space = new Cinnabar.Keyspace.Keyspace(new KeyspaceOptions
        {
            Clock = new ManualClock(),
            StripeCount = 2,
            IsChecked = true,
            Seed = new HashSeed(seed, ~seed),
        });
        _space.Limits.ListListpackSize = listpackSize;
        _space.Limits.ListCompressDepth = compressDepth;
        _access = new KeyspaceAccess(_space, new KeyspaceStatistics());
        _access.Begin(0, 1000);
        _random = new Random((int)seed);
        _lengthMax = lengthMax;
        for (int key = 0; key < KeyCount; key++)
            _models[key] = [];
    }

    public void Step()
    {
        int index = _random.Next(KeyCount);
        if (_random.Next(12) == 0)
        {
            Copy(index, _random.Next(KeyCount));
            return;
        }

        With(index, key =>
        {
            List<string> model = _models[index];
            if (_random.Next(40) == 0)
            {
                _access.Remove(in key);
                model.Clear();
            }
            else if (model.Count == 0 || _random.Next(5) < 2)
            {
                Push(model, key);
            }
            else
            {
                Edit(model, key);
            }
        });
    }

    /// <summary>Compares all that can be seen of all lists.</summary>
    public void Verify()
    {
        for (int index = 0; index < KeyCount; index++)
        {
            List<string> model = _models[index];
            With(index, key =>
            {
                EntryView entry = _access.Peek(in key);
                Assert.Equal(model.Count == 0, entry.IsMissing);
                if (entry.IsMissing)
                    return;
                Assert.Equal(model, Walk(entry.List, model.Count));
                Assert.Equal(model[0], Text(entry.List.At(ListEnd.Head)));
                Assert.Equal(model[^1], Text(entry.List.At(ListEnd.Tail)));
                int rank = _random.Next(model.Count);
                ListCursor cursor = entry.List.CursorAt(rank);
                Assert.Equal(model[rank], Text(cursor.Current));
                Assert.Equal(rank > 0, cursor.MoveBack());
                Assert.Equal(model[Math.Max(rank - 1, 0)], Text(cursor.Current));
            });
        }
    }

    public void Dispose()
    {
        _space.Dispose();
        Assert.Empty(_space.Pages.LeakReport());
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
        var list = new ListEditor(_access, key, _access.FindSlot(in key));
        ListEnd end = _random.Next(2) == 0 ? ListEnd.Head : ListEnd.Tail;
        int room = _lengthMax - model.Count;
        for (int count = Math.Min(_random.Next(1, 1 + (_lengthMax / 4)), room); count > 0; count--)
        {
            string text = Element();
            list.Push(end, Encoding.Latin1.GetBytes(text));
            model.Insert(end == ListEnd.Head ? 0 : model.Count, text);
        }
    }

    private void Edit(List<string> model, Key key)
    {
        var list = new ListEditor(_access, key, _access.FindSlot(in key));
        string text = Element();
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        int rank = _random.Next(model.Count);
        switch (_random.Next(6))
        {
            case 0:
                list.Set(rank, bytes);
                model[rank] = text;
                break;
            case 1:
                rank = _random.Next(model.Count + 1);
                list.Insert(rank, bytes);
                model.Insert(rank, text);
                break;
            case 2:
                int end = _random.Next(rank, model.Count + 1);
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
        ListEnd end = _random.Next(2) == 0 ? ListEnd.Head : ListEnd.Tail;
        for (int count = _random.Next(1, 1 + model.Count); count > 0; count--)
        {
            int rank = end == ListEnd.Head ? 0 : model.Count - 1;
            Assert.Equal(model[rank], Text(list.View.At(end)));
            list.Pop(end);
            model.RemoveAt(rank);
        }
    }

    private void RemoveEqual(ref ListEditor list, List<string> model, string text)
    {
        ListEnd from = _random.Next(2) == 0 ? ListEnd.Head : ListEnd.Tail;
        int countMax = _random.Next(1, 4);
        int[] ranks = [.. Enumerable.Range(0, model.Count).Where(rank => model[rank] == text)];
        ranks = from == ListEnd.Head ? [.. ranks.Take(countMax)] : [.. ranks.TakeLast(countMax)];
        Assert.Equal(ranks.Length, list.RemoveEqual(Encoding.Latin1.GetBytes(text), from, countMax));
        foreach (int rank in ranks.Reverse())
            model.RemoveAt(rank);
    }

    private void Copy(int from, int to)
    {
        if (from == to || _models[from].Count == 0)
            return;
        byte[] source = Name(from);
        byte[] target = Name(to);
        bool isCopy = _random.Next(2) == 0;
        fixed (byte* sourceData = source, targetData = target)
        {
            _access.Transfer(
                new Key(sourceData, source.Length, _space.Hash(source)),
                new Key(targetData, target.Length, _space.Hash(target)), 0, isCopy);
        }

        _models[to] = [.. _models[from]];
        if (!isCopy)
            _models[from].Clear();
    }

    // Few different ones, so that many are equal; now and then one that is longer than a page.
    private string Element()
    {
        int number = _random.Next(30);
        return _random.Next(200) switch
        {
            0 => new string('x', _random.Next(1, 12_000)),
            1 => "",
            2 => long.MinValue.ToString(CultureInfo.InvariantCulture),
            < 60 => $"element {number}",
            < 80 => new string((char)('a' + number % 26), 10 * number),
            _ => (number * number * number - 5_000).ToString(CultureInfo.InvariantCulture),
        };
    }

    private void With(int index, KeyAction action)
    {
        byte[] name = Name(index);
        fixed (byte* data = name)
            action(new Key(data, name.Length, _space.Hash(name)));
    }

    private static byte[] Name(int index) => [(byte)'k', (byte)index];

    private static string Text(ListpackValue value) =>
        Encoding.Latin1.GetString(value.AsText(stackalloc byte[ListpackValue.ScratchSize]));
}
