using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Platform;
using Cinnabar.Tests.Property.Fuzzing;
using Xunit;

namespace Cinnabar.Tests.Property.Keyspace;

/// <summary>
/// Random operations on sorted sets of a few keys, over checked memory, and dictionaries that say what must
/// come of them. Every change must be announced while the old members are still in sight.
/// </summary>
internal sealed class SortedSetHistory : CollectionHistory, IChangeGuard
{
    private const int KeyCount = 4;

    private readonly SortedSetStore _store;
    private readonly Dictionary<string, double>[] _models = new Dictionary<string, double>[KeyCount];
    private readonly HashSet<int> _announced = [];

    public SortedSetHistory(Draws draws)
        : base(draws)
    {
        _store = new SortedSetStore(Access);
        foreach (Stripe stripe in Space.Stripes)
            stripe.Guard = this;
        for (int number = 0; number < KeyCount; number++)
            _models[number] = [];
    }

    /// <inheritdoc/>
    public override void Step()
    {
        int number = Below(KeyCount);
        Dictionary<string, double> before = new(_models[number]);
        _announced.Clear();
        switch (Below(20))
        {
            case 0:
                Copy(number, (number + 1) % KeyCount);
                return;
            case 1:
                Space.Limits.SortedSetListpackEntriesMax = Below(3) * 20;
                Space.Limits.SortedSetListpackValueMax = Below(2) == 0 ? 8 : 64;
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

    /// <inheritdoc/>
    public override void Verify()
    {
        for (int number = 0; number < KeyCount; number++)
        {
            KeyValuePair<string, double>[] expected = Ordered(_models[number]);
            With(Name(number), key =>
            {
                EntryView entry = Access.Peek(in key);
                Assert.Equal(expected.Length == 0, entry.IsMissing);
                Mark(entry, expected.Length);
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

    void IChangeGuard.BeforeChange(
        Stripe stripe, DatabaseTable table, EntryView entry, bool isLeaving)
    {
        int number = entry.Key[^1] - '0';
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
        for (int rank = 0; rank < expected.Length; rank += 1 + Below(5))
        {
            byte[] member = Bytes(expected[rank].Key);
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
            var bounds = new ScoreBounds(Score(), Below(2) == 0, Score(), Below(2) == 0);
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
        With(Name(number), key =>
        {
            SortedSetEditor editor = _store.Edit(in key, Access.FindSlot(in key));
            editor.Set(Bytes(member), score, out SortedSetChange change);
            Assert.Equal(expected, change);
            if (change == SortedSetChange.Added && !editor.View.IsTree)
                Assert.True(editor.View.Count <= Space.Limits.SortedSetListpackEntriesMax);
        });
        if (expected != SortedSetChange.None)
            model[member] = score;
    }

    private void Remove(int number)
    {
        Dictionary<string, double> model = _models[number];
        string member = model.Count == 0 || Below(4) == 0
            ? Member() : model.Keys.ElementAt(Below(model.Count));
        bool isThere = model.ContainsKey(member);
        With(Name(number), key =>
        {
            SortedSetEditor editor = _store.Edit(in key, Access.FindSlot(in key));
            Assert.Equal(isThere, editor.Remove(Bytes(member)));
            Assert.Equal(isThere && model.Count == 1, editor.RemoveIfEmpty());
        });
        model.Remove(member);
    }

    private void RemoveRange(int number)
    {
        KeyValuePair<string, double>[] members = Ordered(_models[number]);
        int first = Below(members.Length + 1);
        int count = Below(8) == 0 ? members.Length - first : Math.Min(Below(6), members.Length - first);
        With(Name(number), key =>
        {
            SortedSetEditor editor = _store.Edit(in key, Access.FindSlot(in key));
            bool isAll = count != 0 && count == members.Length;
            Assert.Equal(isAll, editor.RemoveRange(new RankRange(first, count)));
        });
        foreach ((string member, _) in members.AsSpan(first, count))
            _models[number].Remove(member);
    }

    private void StoreBuilt(int number)
    {
        var built = new Dictionary<string, double>();
        With(Name(number), key =>
        {
            SortedSetBuilder builder = _store.Build();
            for (int left = 1 + Below(60); left > 0; left--)
            {
                string member = Member();
                double score = Score();
                Aggregate aggregate = (Aggregate)Below(3);
                builder.Add(Bytes(member), score, aggregate);
                if (!built.TryAdd(member, score))
                    built[member] = Scores.Combine(aggregate, built[member], score);
                Assert.Equal(built.Count, builder.Count);
                Assert.False(builder.HasOrder, "the order was made before the last member had come");
            }

            builder.Store(in key);
            builder.Dispose();
        });
        _models[number] = built;
    }

    private void Copy(int from, int to)
    {
        if (_models[from].Count == 0)
            return;
        Transfer(Name(from), Name(to), isCopy: true);
        _models[to] = new Dictionary<string, double>(_models[from]);
    }

    private double Score() => Below(12) switch
    {
        0 => double.PositiveInfinity,
        1 => double.NegativeInfinity,
        2 => 0.1 * Below(30),
        3 => 1e17 * Below(9),
        _ => Below(12) - 4,
    };

    private string Member() => Below(5) switch
    {
        0 => Below(90).ToString(CultureInfo.InvariantCulture),
        1 => new string((char)Below(256), Below(40)),
        _ => "member" + Below(90).ToString(CultureInfo.InvariantCulture),
    };
}
