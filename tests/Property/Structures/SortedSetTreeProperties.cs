using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public class SortedSetTreeProperties
{
    [Theory]
    [InlineData(200, 4, 150, false)]
    [InlineData(200, 3, 150, true)]
    [InlineData(4_000, 1, 60, false)]
    [InlineData(4_000, 1, 60, true)]
    public void ActsLikeASortedListWhileSnapshotsAreHeld(int sizeMax, int rounds, int steps, bool isLex) =>
        Seeded.Run(rounds, seed => CheckedTrees.Run(new HashSeed(seed, 2), arenaCount: 1, (source, pages) =>
            new Run(source, pages, new Draws(seed), sizeMax, isLex).Steps(steps)));

    [Theory]
    [InlineData(60, false)]
    [InlineData(60, true)]
    [InlineData(1_500, false)]
    public void NoProgramFindsADifference(int sizeMax, bool isLex) =>
        Fuzzer.Run(programCount: 150, programSizeMax: 3_000, draws =>
            CheckedTrees.Run(new HashSeed(1, 2), arenaCount: 1, (source, pages) =>
                new Run(source, pages, draws, sizeMax, isLex).Steps(int.MaxValue)));

    private sealed record Version(nint Order, nint Index, Dictionary<string, double> Model);

    private sealed class Run(TreeSource source, PageSource pages, Draws draws, int sizeMax, bool isLex)
    {
        private readonly List<Version> _sets = [];
        private readonly NotedScores _noted = new(source);
        private double _next;

        internal void Steps(int count)
        {
            for (int step = 0; step < count && !draws.HasEnded; step++)
            {
                if (_sets.Count == 0) Keep(-1, SortedSetTree.Create(source), []);
                Step();
                if (step % 8 == 0) CheckAll();
            }
            CheckAll();
            foreach (Version version in _sets) Set(version).Release(source);
        }

        private static SortedSetTree Set(Version version) =>
            SortedSetTree.FromAddresses(version.Order, version.Index);

        private void Keep(int place, SortedSetTree set, Dictionary<string, double> model)
        {
            var version = new Version(set.OrderAddress, set.IndexAddress, model);
            if (place < 0)
            {
                _sets.Add(version);
            }
            else
            {
                _sets[place] = version;
            }
        }

        private int Below(int bound) => draws.Below(bound);

        private void Step()
        {
            int chosen = Below(_sets.Count);
            Dictionary<string, double> model = _sets[chosen].Model;
            SortedSetTree set = Set(_sets[chosen]);
            // What is noted here is used later, in this set and its snapshots, whatever has happened by then.
            if (Below(2) == 0) _noted.Take(set, RandomMember, () => isLex ? 3 : RandomScore());
            switch (Below(10))
            {
                case 0 when _sets.Count < 5:
                    Keep(-1, set.Retain(), new Dictionary<string, double>(model));
                    return;
                case 1:
                    set.Release(source);
                    _sets.RemoveAt(chosen);
                    source.ReclaimSlice(Below(50));
                    return;
                case 2:
                    for (int left = Below(2 * model.Count + 1); left > 0; left--)
                    {
                        string member = AnyMember();
                        bool isRemoved = set.Remove(source, Bytes(member), _noted.HintOf(member));
                        Assert.Equal(model.Remove(member), isRemoved);
                    }
                    break;
                case 3:
                    RemoveRange(ref set, model);
                    break;
                case 4:
                    pages.GrantsLeft = Below(4);
                    Add(ref set, model, 0);
                    pages.GrantsLeft = long.MaxValue;
                    break;
                case 5:
                    RemoveEdge(ref set, model, isHighest: Below(2) == 0);
                    break;
                case 6 when _sets.Count < 5:
                    Gather();
                    return;
                default:
                    Add(ref set, model, Below(3));
                    break;
            }
            Keep(chosen, set, model);
        }

        // A set whose members get their scores, some of them several, before it gets its order.
        private unsafe void Gather()
        {
            SortedSetTree set = SortedSetTree.Create(source);
            Dictionary<string, double> model = [];
            using var scratch = new ScratchPool();
            if (Below(2) == 0)
                GatherAtOnce(ref set, model);
            for (int left = Below(sizeMax); left > 0; left--)
            {
                string member = RandomMember();
                double score = isLex ? 3 : RandomScore();
                byte* place = set.Gather(source, Bytes(member), score);
                Assert.Equal(model.ContainsKey(member), place != null);
                if (place != null) Unsafe.WriteUnaligned(place, score);
                model[member] = score;
            }
            set.MakeOrder(source, scratch, runCountMax: 1 + Below(sizeMax));
            Keep(-1, set, model);
        }

        private void GatherAtOnce(ref SortedSetTree set, Dictionary<string, double> model)
        {
            for (int left = Below(sizeMax); left > 0; left--)
                model[RandomMember()] = isLex ? 3 : RandomScore();
            var members = new List<PlacedMember>();
            var texts = new List<byte>();
            foreach ((string member, double score) in model)
            {
                members.Add(new PlacedMember(score, texts.Count, Bytes(member).Length));
                texts.AddRange(Bytes(member));
            }
            set.Gather(source, members.ToArray(), texts.ToArray());
        }

        // In any order, upwards or downwards.
        private void Add(ref SortedSetTree set, Dictionary<string, double> model, int way)
        {
            for (int left = Below(sizeMax / 2); left > 0 && model.Count < sizeMax; left--)
            {
                string member = AnyMember();
                _next += 0.5;
                double score = way switch { 1 => _next, 2 => -_next, _ => RandomScore() };
                if (Below(3) != 0) score = _noted.ScoreOf(member, score);
                if (isLex) score = 3;
                try
                {
                    Assert.Equal(!model.ContainsKey(member),
                        set.Set(source, Bytes(member), score, out _, _noted.HintOf(member)));
                    // Of two equal zeroes the first stays.
                    if (!model.TryGetValue(member, out double old) || old != score) model[member] = score;
                }
                catch (OutOfMemoryException)
                {
                    return;
                }
            }
        }

        // From a few on, there are fewer than were noted, or others have come in between.
        private void RemoveEdge(ref SortedSetTree set, Dictionary<string, double> model, bool isHighest)
        {
            if (Below(4) != 0) _noted.TakeEdge(set, isHighest);
            if (Below(4) == 0) Add(ref set, model, 1);
            for (int index = 0; index < 40 && set.Count > 1 && Below(50) != 0; index++)
            {
                set.SeekEdge(isHighest, out SortedSetCursor edge);
                Assert.True(model.Remove(Encoding.Latin1.GetString(edge.Member)));
                set.RemoveEdge(source, ref edge, _noted.EdgeHint(index));
            }
        }

        private string AnyMember() =>
            Below(2) == 0 ? RandomMember() : _noted.Any(draws) ?? RandomMember();

        private void RemoveRange(ref SortedSetTree set, Dictionary<string, double> model)
        {
            List<string> sorted = Sorted(model);
            int from = Below(sorted.Count + 1);
            int count = Below(3) == 0 ? sorted.Count - from : Below(sorted.Count - from + 1);
            set.RemoveRange(source, from, count);
            foreach (string member in sorted.GetRange(from, count)) model.Remove(member);
        }

        private static List<string> Sorted(Dictionary<string, double> model)
        {
            List<string> sorted = [.. model.Keys];
            sorted.Sort((left, right) =>
            {
                int difference = (model[left] + 0.0).CompareTo(model[right] + 0.0);
                return difference != 0 ? difference : string.CompareOrdinal(left, right);
            });
            return sorted;
        }

        private static byte[] Bytes(string member) => Encoding.Latin1.GetBytes(member);

        private string RandomMember()
        {
            int number = Below(sizeMax * 2);
            return (number % 50) switch
            {
                0 => "the same beginning of many " + number,
                1 => new string('\0', number / 50 % 40),
                2 => number + new string('x', 600),
                3 when number % 1000 == 3 => number + new string('y', 70_000),
                < 20 => "member:" + number,
                _ => number.ToString(),
            };
        }

        private double RandomScore() => Below(8) switch
        {
            0 => Below(2) == 0 ? 0.0 : -0.0,
            1 => Below(2) == 0 ? double.PositiveInfinity : double.NegativeInfinity,
            2 => draws.NextDouble() * 2 - 1,
            3 => -Below(20),
            _ => Below(sizeMax),
        };

        private void CheckAll()
        {
            foreach (Version version in _sets) Check(Set(version), version.Model);
            if (_sets.Count != 1) return;
            while (source.ReclaimSlice(1000))
            {
            }
            Assert.Equal(Set(_sets[0]).MemoryBytes, source.UsedBytes);
        }

        private void Check(SortedSetTree set, Dictionary<string, double> model)
        {
            List<string> sorted = Sorted(model);
            Assert.Null(set.FindFault(source));
            Assert.Equal(sorted.Count, set.Count);
            Assert.Equal(sorted.Count, set.Index.Count);
            draws.Mark(_sets.Count, long.Log2(set.Count + 1), long.Log2(set.MemoryBytes));
            if (sorted.Count == 0) return;
            int rank = 0;
            SortedSetCursor cursor = set.CursorAt(0);
            do
            {
                Assert.Equal(sorted[rank], Encoding.Latin1.GetString(cursor.Member));
                Assert.Equal(BitConverter.DoubleToInt64Bits(model[sorted[rank]]),
                    BitConverter.DoubleToInt64Bits(cursor.Score));
                rank++;
            }
            while (cursor.MoveNext());
            Assert.Equal(sorted.Count, rank);
            rank = Below(sorted.Count);
            cursor = set.CursorAt(rank);
            do Assert.Equal(sorted[rank--], Encoding.Latin1.GetString(cursor.Member));
            while (cursor.MoveBack());
            Assert.Equal(-1, rank);
            for (int round = 0; round < 8; round++) CheckSome(set, model, sorted);
        }

        private void CheckSome(SortedSetTree set, Dictionary<string, double> model, List<string> sorted)
        {
            string member = RandomMember();
            bool isThere = model.TryGetValue(member, out double score);
            Assert.Equal(isThere, set.TryGetScore(source, Bytes(member), out double found));
            Assert.Equal(score, found);
            Assert.Equal(sorted.IndexOf(member), set.RankOf(source, Bytes(member)));
            member = AnyMember();
            long rank = set.RankOf(source, Bytes(member), out found, _noted.HintOf(member));
            Assert.Equal(sorted.IndexOf(member), rank);
            Assert.Equal(model.GetValueOrDefault(member), found);
            isThere = rank >= 0;
            score = RandomScore();
            Assert.Equal(sorted.Count(other => model[other] < score), set.CountBelow(score, false));
            Assert.Equal(sorted.Count(other => model[other] <= score), set.CountBelow(score, true));
            if (!isLex) return;
            int before = sorted.Count(other => string.CompareOrdinal(other, member) < 0);
            Assert.Equal(before, set.CountBelowMember(Bytes(member), false));
            Assert.Equal(before + (isThere ? 1 : 0), set.CountBelowMember(Bytes(member), true));
        }
    }
}
