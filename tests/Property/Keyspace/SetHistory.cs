using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Sets;
using Cinnabar.Platform;
using Cinnabar.Tests.Property.Fuzzing;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>A random history of a few sets in checked memory, and of the HashSets that they should
/// be.</summary>
internal sealed class SetHistory : CollectionHistory
{
    private const int KeyCount = 5;

    private readonly SetStore _store;
    private readonly HashSet<string>[] _models = new HashSet<string>[KeyCount];
    private readonly int _memberCount;
    private RandomSource _source;

    public SetHistory(Draws draws, int memberCount)
        : base(draws)
    {
        _store = new SetStore(Access);
        _source = new RandomSource(draws.Next());
        _memberCount = memberCount;
        for (int key = 0; key < KeyCount; key++)
            _models[key] = [];
    }

    /// <inheritdoc/>
    public override void Step()
    {
        int index = Below(KeyCount);
        switch (Below(20))
        {
            case < 8:
                With(Name(index), key => Add(index, key, Members(Between(1, 1 + (_memberCount / 8)))));
                break;
            case < 12:
                With(Name(index), key => Remove(index, key, Members(Between(1, 1 + (_memberCount / 6)))));
                break;
            case 12 or 13:
                With(Name(index), key => Pop(index, key));
                break;
            case 14 or 15:
                Copy(index, Below(KeyCount));
                break;
            case < 19:
                Combine(index);
                break;
            default:
                With(Name(index), key => Access.Remove(in key));
                _models[index].Clear();
                break;
        }
    }

    /// <inheritdoc/>
    public override void Verify()
    {
        for (int index = 0; index < KeyCount; index++)
        {
            HashSet<string> model = _models[index];
            With(Name(index), key =>
            {
                Mark(Access.Peek(in key), model.Count);
                SetView set = _store.View(Access.Peek(in key));
                Assert.Equal(model.Count == 0, set.IsMissing);
                Assert.Equal(model.Count, set.Count);
                List<string> members = [];
                foreach (SetMember member in set)
                    members.Add(Text(in member));
                Assert.Equal(members.Count, members.Distinct().Count());
                Assert.True(model.SetEquals(members));
                foreach (string member in Members(50).Concat(members.Take(50)))
                    Assert.Equal(model.Contains(member), set.Contains(Bytes(member)));
                CheckScan(set, model);
                CheckRandom(set, model);
            });
        }
    }

    private static void CheckScan(SetView set, HashSet<string> model)
    {
        var visitor = new CollectingVisitor([]);
        ulong cursor = 0;
        int callCount = 0;
        do
        {
            cursor = set.Scan(cursor, 7, ref visitor);
            Assert.True(cursor >> 63 == 0 && ++callCount <= model.Count + 1);
        }
        while (cursor != 0);
        Assert.True(model.SetEquals(visitor.Members));
    }

    private void CheckRandom(SetView set, HashSet<string> model)
    {
        if (model.Count < 2)
            return;
        var many = new CollectingVisitor([]);
        SetSampler.PickMany(set, 300, ref _source, ref many);
        Assert.Equal(300, many.Members.Count);
        Assert.Empty(many.Members.Except(model));
        var sample = new CollectingVisitor([]);
        int count = Between(1, model.Count);
        SetSampler.Sample(set, count, ref _source, ref sample);
        Assert.Equal(count, sample.Members.Distinct().Count());
        Assert.Equal(count, sample.Members.Intersect(model).Count());
    }

    private void Add(int index, in Key key, string[] members)
    {
        ValueSlot slot = Access.FindSlot(in key);
        byte[] first = Bytes(members[0]);
        SetEditor set = slot.IsMissing ? _store.Create(in key, first, members.Length) : _store.Edit(slot);
        foreach (string member in members)
            Assert.Equal(_models[index].Add(member), set.Add(Bytes(member)));
    }

    private void Remove(int index, in Key key, string[] members)
    {
        ValueSlot slot = Access.FindSlot(in key);
        if (slot.IsMissing)
            return;
        SetEditor set = _store.Edit(slot);
        foreach (string member in members)
            Assert.Equal(_models[index].Remove(member), set.Remove(Bytes(member)));
        if (set.View.Count == 0)
            slot.Remove();
    }

    private void Pop(int index, in Key key)
    {
        HashSet<string> model = _models[index];
        if (model.Count < 2)
            return;
        SetEditor set = _store.Edit(Access.FindSlot(in key));
        int count = Below(2) == 0 ? Between(1, Math.Min(5, model.Count))
            : Between(1, model.Count);
        var popped = new CollectingVisitor([]);
        SetSampler.Pop(set, count, ref _source, ref popped);
        Assert.Equal(count, popped.Members.Count);
        foreach (string member in popped.Members)
            Assert.True(model.Remove(member));
    }

    private void Copy(int from, int to)
    {
        if (from == to || _models[from].Count == 0)
            return;
        Transfer(Name(from), Name(to), isCopy: true);
        _models[to] = [.. _models[from]];
    }

    // What an operation shows, and what it stores, is the same.
    private void Combine(int target)
    {
        int[] indexes = [.. Enumerable.Range(0, Between(1, 7)).Select(_ => Below(KeyCount))];
        int operation = Below(3);
        SetAlgebra sets = _store.Algebra;
        sets.Clear();
        foreach (int index in indexes)
            With(Name(index), key => sets.Add(_store.View(Access.Peek(in key))));
        HashSet<string> expected = [.. _models[indexes[0]]];
        foreach (int index in indexes.Skip(1))
        {
            if (operation == 0)
                expected.IntersectWith(_models[index]);
            else if (operation == 1)
                expected.UnionWith(_models[index]);
            else
                expected.ExceptWith(_models[index]);
        }

        if (operation == 0 && sets.HasEmpty)
            return;
        var shown = new CollectingVisitor([]);
        if (operation == 0)
            sets.Intersect(long.MaxValue, ref shown);
        else if (operation == 1)
            sets.Unite(ref shown);
        else
            sets.Subtract(ref shown);
        Assert.Equal(expected.Count, shown.Members.Count);
        Assert.True(expected.SetEquals(shown.Members));
        SetEditor result = operation == 0 ? sets.StoreIntersection()
            : operation == 1 ? sets.StoreUnion() : sets.StoreDifference();
        Assert.Equal(expected.Count, result.View.Count);
        With(Name(target), key =>
        {
            if (expected.Count > 0)
            {
                _store.Store(in key);
                return;
            }

            _store.Discard();
            Access.Remove(in key);
        });
        _models[target] = expected;
    }

    private string[] Members(int count) => [.. Enumerable.Range(0, count).Select(_ => Member())];

    private string Member()
    {
        int number = Below(_memberCount);
        return (Below(400), number % 7) switch
        {
            (0, _) => new string('x', Between(1, 200)),
            (1, _) => long.MaxValue.ToString(CultureInfo.InvariantCulture),
            (2, _) => "0" + number.ToString(CultureInfo.InvariantCulture),
            (< 200, _) or (_, 0) => $"member {number}",
            _ => (number - 10).ToString(CultureInfo.InvariantCulture),
        };
    }

    private static string Text(in SetMember member) =>
        Text(member.AsText(stackalloc byte[SetMember.ScratchSize]));

    private readonly struct CollectingVisitor(List<string> members) : ISetVisitor
    {
        public List<string> Members => members;

        public void Visit(in SetMember member) => members.Add(Text(in member));
    }
}
