using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Trees;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

public class PageTreeProperties
{
    [Theory]
    [InlineData(60, 6, 300)]
    [InlineData(3_000, 2, 300)]
    [InlineData(20_000, 1, 150)]
    public void ActsLikeAListWhileSnapshotsAreHeld(int sizeMax, int rounds, int steps) =>
        Seeded.Run(rounds, seed => CheckedTrees.Run(new HashSeed(1, 2), arenaCount: 2, (source, pages) =>
            new Run(source, pages, seed, sizeMax).Steps(steps)));

    [Fact]
    public void ReadersOnOtherThreadsSeeTheTreeAsItWas() => Seeded.Run(2, seed =>
    {
        using var pages = new PageSource(isChecked: true);
        using var source = new TreeSource(pages, new HashSeed(1, 2), arenaCount: 1);
        var random = new RandomSource(seed);
        var written = new NumberTree(source);
        for (int number = 0; number < 2_000; number++) written.Insert(number, 0);
        var readers = new List<Task>();
        for (int version = 1; version <= 60; version++)
        {
            for (int rank = 0; rank < 2_000; rank += 1 + (int)random.NextBelow(20))
            {
                written.Set(rank, version);
            }
            NumberTree snapshot = written.Snapshot();
            List<int> expected = snapshot.ToList();
            readers.Add(Task.Run(() => ReadAndRelease(source, snapshot, expected)));
            written.RemoveRange(0, (long)random.NextBelow(300));
            while (written.Count < 2_000)
            {
                written.Insert((long)random.NextBelow((ulong)written.Count), version);
            }
            if (readers.Count > 4)
            {
                Task.WaitAll([.. readers]);
                readers.Clear();
            }
        }
        Task.WaitAll([.. readers]);
        written.Release();
        while (source.ReclaimSlice(100))
        {
        }
        Assert.Equal(0, source.BlockCount);
    });

    private static void ReadAndRelease(TreeSource source, NumberTree snapshot, List<int> expected)
    {
        for (int round = 0; round < 5; round++)
        {
            Assert.True(snapshot.ToList().SequenceEqual(expected), "a snapshot changed");
        }
        snapshot.Release();
        source.ReclaimSlice(50);
    }

    // Trees beside what they must be. Snapshots are written to as well: they are like any other.
    private sealed class Run(TreeSource source, PageSource pages, ulong seed, int sizeMax)
    {
        private readonly List<(NumberTree Tree, List<int> Model)> _trees = [];
        private RandomSource _random = new(seed);
        private int _nextNumber;

        internal void Steps(int count)
        {
            for (int step = 0; step < count; step++)
            {
                if (_trees.Count == 0) _trees.Add((new NumberTree(source), []));
                Step();
                if (step % 10 == 0) CheckAll();
            }
            CheckAll();
            foreach ((NumberTree tree, _) in _trees) tree.Release();
        }

        private int Below(int bound) => (int)_random.NextBelow((ulong)bound);

        private void Step()
        {
            int chosen = Below(_trees.Count);
            (NumberTree tree, List<int> model) = _trees[chosen];
            switch (Below(12))
            {
                case 0 when _trees.Count < 6:
                    _trees.Add((tree.Snapshot(), [.. model]));
                    break;
                case 1:
                    tree.Release();
                    _trees.RemoveAt(chosen);
                    source.ReclaimSlice(Below(100));
                    break;
                case 2:
                    RemoveSome(tree, model);
                    break;
                case 3:
                    for (int left = Below(20); left > 0 && model.Count > 0; left--)
                    {
                        int at = Below(model.Count);
                        tree.RemoveRange(at, at + 1);
                        model.RemoveAt(at);
                    }
                    break;
                case 4 when model.Count > 0:
                    int rank = Below(model.Count);
                    tree.Set(rank, model[rank] = _nextNumber++);
                    Assert.Equal(model[rank], tree.Get(rank));
                    break;
                case 5:
                    InsertWhileMemoryEnds(tree, model);
                    break;
                default:
                    InsertSome(tree, model);
                    break;
            }
        }

        private void InsertSome(NumberTree tree, List<int> model)
        {
            int way = Below(4);
            int at = Below(model.Count + 1);
            for (int left = Below(sizeMax / 4 + 2); left > 0 && model.Count < sizeMax; left--)
            {
                int rank = way switch
                {
                    0 => model.Count,
                    1 => 0,
                    2 => Math.Min(at++, model.Count),
                    _ => Below(model.Count + 1),
                };
                tree.Insert(rank, _nextNumber);
                model.Insert(rank, _nextNumber++);
            }
        }

        private void InsertWhileMemoryEnds(NumberTree tree, List<int> model)
        {
            pages.GrantsLeft = Below(3);
            for (int left = Below(sizeMax / 4 + 2); left > 0 && model.Count < sizeMax; left--)
            {
                int rank = Below(model.Count + 1);
                try
                {
                    tree.Insert(rank, _nextNumber);
                    model.Insert(rank, _nextNumber++);
                }
                catch (OutOfMemoryException)
                {
                    break;
                }
            }
            pages.GrantsLeft = long.MaxValue;
        }

        private void RemoveSome(NumberTree tree, List<int> model)
        {
            int from = Below(model.Count + 1);
            int count = Below(4) == 0 ? model.Count - from : Below(model.Count - from + 1);
            if (Below(10) == 0) (from, count) = (0, model.Count);
            tree.RemoveRange(from, from + count);
            model.RemoveRange(from, count);
        }

        private void CheckAll()
        {
            foreach ((NumberTree tree, List<int> model) in _trees)
            {
                Assert.Null(tree.FindFault());
                Assert.Equal(model.Count, tree.Count);
                Assert.True(tree.ToList().SequenceEqual(model), "a tree differs");
                Assert.True(tree.ToReversedList().SequenceEqual(Enumerable.Reverse(model)), "backwards");
            }
            if (_trees.Count != 1) return;
            while (source.ReclaimSlice(1000))
            {
            }
            Assert.Equal(_trees[0].Tree.MemoryBytes, source.UsedBytes);
        }
    }
}
