using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Property.Fuzzing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public class HashPagesProperties
{
    [Theory]
    [InlineData(300, 4, 200, true)]
    [InlineData(300, 4, 200, false)]
    [InlineData(6_000, 1, 100, true)]
    [InlineData(6_000, 1, 100, false)]
    public void ActsLikeADictionaryWhileSnapshotsAreHeld(int sizeMax, int rounds, int steps, bool isSet) =>
        Seeded.Run(rounds, seed => CheckedTrees.Run(new HashSeed(seed, 2), arenaCount: 1, (source, pages) =>
            new Run(source, pages, new Draws(seed), sizeMax, isSet).Steps(steps)));

    [Theory]
    [InlineData(60, true)]
    [InlineData(60, false)]
    [InlineData(1_500, false)]
    public void NoProgramFindsADifference(int sizeMax, bool isSet) =>
        Fuzzer.Run(programCount: 150, programSizeMax: 3_000, draws =>
            CheckedTrees.Run(new HashSeed(1, 2), arenaCount: 1, (source, pages) =>
                new Run(source, pages, draws, sizeMax, isSet).Steps(int.MaxValue)));

    [Fact]
    public void AScanReturnsEveryEntryThatStays() => Seeded.Run(5, seed =>
    {
        using var pages = new PageSource(isChecked: true);
        using var source = new TreeSource(pages, new HashSeed(seed, 2), arenaCount: 1);
        var random = new RandomSource(seed);
        HashPages set = HashPages.Create(source);
        int count = 1 + (int)random.NextBelow(3_000);
        for (int number = 0; number < count; number++) set.Set(source, new HashField(Name(number)));
        var seen = new Seen { Members = [] };
        ulong cursor = 0;
        int next = count;
        int calls = 0;
        do
        {
            int before = seen.Members.Count;
            cursor = set.Scan(source, cursor, 10, ref seen);
            if (cursor != 0) Assert.Equal(10, seen.Members.Count - before);
            // Odd numbers come and go, even ones stay.
            for (int change = 0; change < 20; change++)
            {
                if (random.NextBelow(2) == 0) set.Set(source, new HashField(Name(2 * next++ + 1)));
                int gone = (int)random.NextBelow((ulong)count) | 1;
                set.Remove(source, Name(gone));
            }
            Assert.True(++calls < 100_000, "a scan without end");
        }
        while (cursor != 0);
        for (int number = 0; number < count; number += 2) Assert.Contains($"member {number}", seen.Members);
        Assert.Equal(seen.Members.Count, seen.Members.Distinct().Count());
        set.Release(source);
    });

    private static byte[] Name(int number) => Encoding.UTF8.GetBytes($"member {number}");

    private struct Seen : IFieldVisitor
    {
        internal List<string> Members;

        public readonly void Visit(in HashField field) => Members.Add(Encoding.UTF8.GetString(field.Member));
    }

    private sealed class Run(TreeSource source, PageSource pages, Draws draws, int sizeMax, bool isSet)
    {
        private readonly List<(nint Address, Dictionary<string, string> Model)> _hashes = [];
        private readonly NotedMembers _noted = new(source);

        internal void Steps(int count)
        {
            for (int step = 0; step < count && !draws.HasEnded; step++)
            {
                if (_hashes.Count == 0) _hashes.Add((HashPages.Create(source).Address, []));
                Step();
                if (step % 10 == 0) CheckAll();
            }
            CheckAll();
            foreach ((nint address, _) in _hashes)
            {
                HashPages hash = HashPages.FromAddress(address);
                hash.Release(source);
            }
        }

        private static string Text(in HashField field) =>
            field.HasValue ? $"{field.DeadlineMs}:{Encoding.Latin1.GetString(field.Value)}" : "";

        private int Below(int bound) => draws.Below(bound);

        private void Step()
        {
            int chosen = Below(_hashes.Count);
            (nint address, Dictionary<string, string> model) = _hashes[chosen];
            HashPages hash = HashPages.FromAddress(address);
            // What is noted is used later, in this hash and its snapshots, whatever has happened by then.
            if (Below(2) == 0) _noted.Take(hash, RandomMember);
            switch (Below(10))
            {
                case 0 when _hashes.Count < 5:
                    _hashes.Add((hash.Retain().Address, new Dictionary<string, string>(model)));
                    return;
                case 1:
                    hash.Release(source);
                    _hashes.RemoveAt(chosen);
                    source.ReclaimSlice(Below(50));
                    return;
                case 2:
                    for (int left = Below(2 * model.Count + 1); left > 0; left--) Remove(ref hash, model);
                    break;
                case 3:
                    for (int left = Below(model.Count + 1); left > 0; left--) RemoveAny(ref hash, model);
                    break;
                case 4:
                    pages.GrantsLeft = Below(4);
                    SetSome(ref hash, model);
                    pages.GrantsLeft = long.MaxValue;
                    break;
                default:
                    SetSome(ref hash, model);
                    break;
            }
            _hashes[chosen] = (hash.Address, model);
        }

        private void Remove(ref HashPages hash, Dictionary<string, string> model)
        {
            string member = AnyMember();
            bool isRemoved = hash.Remove(source, Encoding.Latin1.GetBytes(member), HintOf(member));
            Assert.Equal(model.Remove(member), isRemoved);
        }

        private void RemoveAny(ref HashPages hash, Dictionary<string, string> model)
        {
            long rank = Below(model.Count);
            HashField field = hash.At(rank);
            Assert.True(model.Remove(Encoding.Latin1.GetString(field.Member), out string? value));
            Assert.Equal(value, Text(field));
            var visitor = new TakenVisitor();
            hash.TakeAt(source, rank, ref visitor);
            Assert.Equal(value, visitor.Value);
        }

        private void SetSome(ref HashPages hash, Dictionary<string, string> model)
        {
            for (int left = Below(sizeMax / 2); left > 0 && model.Count < sizeMax; left--)
            {
                string member = AnyMember();
                byte[] name = Encoding.Latin1.GetBytes(member);
                HashField field = isSet
                    ? new HashField(name)
                    : new HashField(name, RandomValue(), Below(3) == 0 ? Below(1000) : HashField.NoDeadline);
                try
                {
                    Assert.Equal(!model.ContainsKey(member), hash.Set(source, in field, HintOf(member)));
                    model[member] = Text(field);
                }
                catch (OutOfMemoryException)
                {
                    return;
                }
            }
        }

        private string AnyMember() =>
            Below(2) == 0 ? RandomMember() : _noted.Any(draws) ?? RandomMember();

        // Known by its hash or without it, noted or not.
        private MemberHint HintOf(string member) =>
            Below(4) == 0 ? default : _noted.HintOf(member, isHashKnown: Below(4) != 0);

        private string RandomMember()
        {
            int number = Below(sizeMax * 2);
            return (number % 100) switch
            {
                0 when !isSet => number + new string('m', 3_000),
                1 => number + new string('x', 60),
                _ => number.ToString(),
            };
        }

        private byte[] RandomValue()
        {
            byte[] value = new byte[Below(200) switch
            {
                0 => Below(sizeMax > 1000 ? 5_000 : 100_000),
                < 20 => Below(500),
                _ => Below(30),
            }];
            if (value.Length > 0) value[0] = value[^1] = (byte)draws.Next();
            return value;
        }

        private struct TakenVisitor : IFieldVisitor
        {
            public string? Value { get; private set; }

            public void Visit(in HashField field) => Value = Text(in field);
        }

        private void CheckAll()
        {
            foreach ((nint address, Dictionary<string, string> model) in _hashes)
            {
                HashPages hash = HashPages.FromAddress(address);
                Assert.Null(hash.FindFault(source));
                Assert.Equal(model.Count, hash.Count);
                draws.Mark(_hashes.Count, long.Log2(hash.Count + 1), long.Log2(hash.MemoryBytes));
                int count = 0;
                foreach (HashField field in hash)
                {
                    Assert.Equal(model[Encoding.Latin1.GetString(field.Member)], Text(field));
                    count++;
                }
                Assert.Equal(model.Count, count);
                for (int round = 0; round < 20; round++)
                {
                    string member = AnyMember();
                    byte[] name = Encoding.Latin1.GetBytes(member);
                    bool isThere = hash.TryGet(source, name, out HashField field, HintOf(member));
                    Assert.Equal(model.TryGetValue(member, out string? value), isThere);
                    if (isThere) Assert.Equal(value, Text(field));
                }
            }
            if (_hashes.Count != 1) return;
            while (source.ReclaimSlice(1000))
            {
            }
            Assert.Equal(HashPages.FromAddress(_hashes[0].Address).MemoryBytes, source.UsedBytes);
        }
    }
}
