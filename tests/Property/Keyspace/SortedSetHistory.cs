using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Platform;
using Cinnabar.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>
/// Random operations on sorted sets of a few keys, over checked memory, and dictionaries that say what must
/// come of them. Every change must be announced while the old members are still in sight.
/// </summary>
internal sealed unsafe class SortedSetHistory : IChangeGuard, IDisposable
{
    private const int KeyCount = 4;

    private readonly Cinnabar.Keyspace.Keyspace _space;
    private readonly KeyspaceAccess _access;
    private readonly SortedSetStore _store;
    private readonly Dictionary<string, double>[] _models = new Dictionary<string, double>[KeyCount];
    private readonly HashSet<int> _announced = [];
    private RandomSource _random;

    public SortedSetHistory(ulong seed)
    {
        _random = new RandomSource(seed);
        _space = new Cinnabar.Keyspace.Keyspace(new KeyspaceOptions
        {
            Clock = new ManualClock(),
            StripeCount = 2,
            IsChecked = true,
            Seed = new HashSeed(seed, ~seed),
        });
        _access = new KeyspaceAccess(_space, new KeyspaceStatistics());
        _access.Begin(0, 1);
        _store = new SortedSetStore(_access);
        foreach (Stripe stripe in _space.Stripes)
            stripe.Guard = this;
        for (int number = 0; number < KeyCount; number++)
            _models[number] = [];
    }

    public void Dispose()
    {
        _space.Dispose();
        Assert.Empty(_space.Pages.LeakReport());
    }

    /// <summary>Does something to a key and its model.</summary>
    public void Step()
    {
        int number = Next(KeyCount);
        Dictionary<string, double> before = new(_models[number]);
        _announced.Clear();
        switch (Next(20))
        {
            case 0:
                Copy(number, (number + 1) % KeyCount);
                return;
            case 1:
                _space.Limits.SortedSetListpackEntriesMax = Next(3) * 20;
                _space.Limits.SortedSetListpackValueMax = Next(2) == 0 ? 8 : 64;
                return;
            case 2:
                StoreBuilt(number);
                break;
            case 3 or 4:
                RemoveRange(number);
                break;
            case <= 8:
                Remove(number);
                break;
            default:
                Set(number);
                break;
        }

        bool isSame = before.Count == _models[number].Count && !before.Except(_models[number]).Any();
        Assert.True(isSame || before.Count == 0 || _announced.Contains(number), "changed unannounced");
    }

    /// <summary>Compares everything that can be seen.</summary>
    public void Verify()
    {
        for (int number = 0; number < KeyCount; number++)
        {
            KeyValuePair<string, double>[] expected = Ordered(_models[number]);
            With(number, (in Key key) =>
            {
                EntryView entry = _access.Peek(in key);
                Assert.Equal(expected.Length == 0, entry.IsMissing);
                SortedSetView view = _store.View(entry);
                Assert.Equal(expected.Length, view.Count);
                Assert.Equal(expected, Members(view.Walk()));
                Assert.Equal(expected.Reverse(),
                    Members(view.Walk(new RankRange(0, view.Count), isReverse: true)));
                CheckLookUps(view, expected);
                CheckRanges(view, expected);
            });
        }
    }

    void IChangeGuard.BeforeChange(Stripe stripe, EntryView entry)
    {
        int number = entry.Key[0] - '0';
        if (_announced.Add(number))
            Assert.Equal(Ordered(_models[number]), Members(_store.View(entry).Walk()));
    }

    private static List<KeyValuePair<string, double>> Members(SortedSetWalk walk)
    {
        var members = new List<KeyValuePair<string, double>>();
        while (walk.MoveNext())
            members.Add(new(Encoding.Latin1.GetString(walk.Member), walk.Score));
        return members;
    }

    private static KeyValuePair<string, double>[] Ordered(Dictionary<string, double> model) =>
        [.. model.OrderBy(pair => pair.Value).ThenBy(pair => pair.Key, StringComparer.Ordinal)];

    private void CheckLookUps(SortedSetView view, KeyValuePair<string, double>[] expected)
    {
        for (int rank = 0; rank < expected.Length; rank += 1 + Next(5))
        {
            byte[] member = Encoding.Latin1.GetBytes(expected[rank].Key);
            Assert.Equal(rank, view.RankOf(member, out double score));
            Assert.Equal(expected[rank].Value, score);
        }

        Assert.False(view.TryGetScore("not there"u8, out _));
        Assert.Equal(-1, view.RankOf("not there"u8, out _));
    }

    private void CheckRanges(SortedSetView view, KeyValuePair<string, double>[] expected)
    {
        for (int round = 0; round < 4; round++)
        {
            var bounds = new ScoreBounds(Score(), Next(2) == 0, Score(), Next(2) == 0);
            IEnumerable<KeyValuePair<string, double>> inside = expected.Where(pair =>
                (bounds.IsMinExclusive ? pair.Value > bounds.Min : pair.Value >= bounds.Min)
                && (bounds.IsMaxExclusive ? pair.Value < bounds.Max : pair.Value <= bounds.Max));
            Assert.Equal(inside, Members(view.Walk(view.RangeOf(in bounds))));
        }
    }

    private void Set(int number)
    {
        Dictionary<string, double> model = _models[number];
        string member = Member();
        double score = Score();
        SortedSetChange expected = !model.TryGetValue(member, out double old) ? SortedSetChange.Added
            : old == score ? SortedSetChange.None
            : SortedSetChange.Updated;
        With(number, (in Key key) =>
        {
            SortedSetEditor editor = _store.Edit(in key, _access.FindSlot(in key));
            editor.Set(Encoding.Latin1.GetBytes(member), score, out SortedSetChange change);
            Assert.Equal(expected, change);
            if (change == SortedSetChange.Added && !editor.View.IsTree)
                Assert.True(editor.View.Count <= _space.Limits.SortedSetListpackEntriesMax);
        });
        if (expected != SortedSetChange.None)
            model[member] = score;
    }

    private void Remove(int number)
    {
        Dictionary<string, double> model = _models[number];
        string member = model.Count != 0 && Next(4) != 0 ? model.Keys.ElementAt(Next(model.Count)) : Member();
        bool isThere = model.ContainsKey(member);
        With(number, (in Key key) =>
        {
            SortedSetEditor editor = _store.Edit(in key, _access.FindSlot(in key));
            Assert.Equal(isThere, editor.Remove(Encoding.Latin1.GetBytes(member)));
            Assert.Equal(isThere && model.Count == 1, editor.RemoveIfEmpty());
        });
        model.Remove(member);
    }

    private void RemoveRange(int number)
    {
        KeyValuePair<string, double>[] members = Ordered(_models[number]);
        int first = Next(members.Length + 1);
        int count = Next(8) == 0 ? members.Length - first : Math.Min(Next(6), members.Length - first);
        With(number, (in Key key) =>
        {
            SortedSetEditor editor = _store.Edit(in key, _access.FindSlot(in key));
            bool isAll = count != 0 && count == members.Length;
            Assert.Equal(isAll, editor.RemoveRange(new RankRange(first, count)));
        });
        foreach ((string member, _) in members.AsSpan(first, count))
            _models[number].Remove(member);
    }

    private void StoreBuilt(int number)
    {
        var built = new Dictionary<string, double>();
        for (int left = 1 + Next(40); left > 0; left--)
            built[Member()] = Score();
        With(number, (in Key key) =>
        {
            SortedSetBuilder builder = _store.Build();
            foreach ((string member, double score) in built)
                Assert.True(builder.Set(Encoding.Latin1.GetBytes(member), score));
            builder.Store(in key);
            builder.Dispose();
        });
        _models[number] = built;
    }

    private void Copy(int from, int to)
    {
        if (_models[from].Count == 0)
            return;
        With(from, (in Key source) =>
        {
            byte name = (byte)('0' + to);
            var target = new Key(&name, 1, _space.Hash(new ReadOnlySpan<byte>(&name, 1)));
            _access.Transfer(in source, in target, targetDatabase: 0, isCopy: true);
        });
        _models[to] = new Dictionary<string, double>(_models[from]);
    }

    private void With(int number, NamedAction action)
    {
        byte name = (byte)('0' + number);
        var key = new Key(&name, 1, _space.Hash(new ReadOnlySpan<byte>(&name, 1)));
        action(in key);
    }

    private int Next(int count) => (int)_random.NextBelow((ulong)count);

    private double Score() => Next(12) switch
    {
        0 => double.PositiveInfinity,
        1 => double.NegativeInfinity,
        2 => 0.1 * Next(30),
        3 => 1e17 * Next(9),
        _ => Next(12) - 4,
    };

    private string Member() => Next(5) switch
    {
        0 => Next(90).ToString(CultureInfo.InvariantCulture),
        1 => new string((char)Next(256), Next(40)),
        _ => "member" + Next(90).ToString(CultureInfo.InvariantCulture),
    };

    private delegate void NamedAction(in Key key);
}
