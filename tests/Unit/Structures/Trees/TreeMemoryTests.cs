using System;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.SortedSets;
using Cinnabar.Structures.Trees;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Trees;

/// <summary>What big collections cost, and how their memory comes back.</summary>
public sealed unsafe class TreeMemoryTests : IDisposable
{
    private const int MemberCount = 50_000;

    private readonly PageSource _pages = new(isChecked: true);
    private readonly TreeSource _source;

    public TreeMemoryTests() => _source = new TreeSource(_pages, new HashSeed(1, 2), arenaCount: 1);

    public void Dispose()
    {
        Reclaim();
        Assert.Equal(0, _source.BlockCount);
        Assert.Equal(0, _source.UsedBytes);
        _source.Dispose();
        Assert.Empty(_pages.LeakReport());
        _pages.Dispose();
    }

    [Fact]
    public void AMemberOfASetCostsLittleBesideItself()
    {
        HashPages set = Set(MemberCount);
        Assert.Equal(_source.UsedBytes, set.MemoryBytes);
        Assert.InRange(set.MemoryBytes / (double)MemberCount, 20, 26);
        set.Release(_source);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    [InlineData(7_919)]
    public void AMemberOfASortedSetCostsItselfTwice(int step)
    {
        SortedSetTree set = SortedSet(MemberCount, step);
        Assert.Equal(_source.UsedBytes, set.MemoryBytes);
        Assert.InRange(set.MemoryBytes / (double)MemberCount, 55, 73);
        if (Math.Abs(step) == 1)
        {
            (double nodes, double pages) = TreeVerifier.Fill(set.Order);
            Assert.InRange(nodes, 0.8, 1);
            Assert.InRange(pages, 0.95, 1);
        }
        set.Release(_source);
    }

    [Fact]
    public void AWriterCopiesOnlyThePathThatIsShared()
    {
        HashPages set = Set(MemberCount);
        HashPages snapshot = set.Retain();
        long usedBefore = _source.UsedBytes;
        long blocksBefore = _source.BlockCount;
        Assert.True(set.Remove(_source, Member(17)));
        Assert.Equal(set.Tree.Root->Height + 1, _source.BlockCount - blocksBefore);
        Assert.InRange(_source.UsedBytes - usedBefore, 1, 3 * 2048);
        blocksBefore = _source.BlockCount;
        Assert.True(set.Set(_source, new HashField(Member(17))));
        Assert.Equal(blocksBefore, _source.BlockCount);
        Assert.True(snapshot.Contains(_source, Member(17)));
        snapshot.Release(_source);
        Reclaim();
        Assert.Equal(_source.UsedBytes, set.MemoryBytes);
        set.Release(_source);
    }

    [Fact]
    public void ALookupOfAnExistingMemberCopiesNothing()
    {
        HashPages set = Set(1_000);
        HashPages snapshot = set.Retain();
        long blocks = _source.BlockCount;
        Assert.False(set.Set(_source, new HashField(Member(5))));
        Assert.False(set.Remove(_source, "nobody"u8));
        Assert.Equal(blocks, _source.BlockCount);
        snapshot.Release(_source);
        set.Release(_source);
    }

    [Fact]
    public void ABigSetIsFreedInSlices()
    {
        HashPages set = Set(MemberCount);
        long blocks = _source.BlockCount;
        set.Release(_source);
        Assert.Equal(blocks, _source.BlockCount);
        int slices = 0;
        for (; _source.ReclaimSlice(10); slices++)
        {
            Assert.InRange(blocks - _source.BlockCount, 0, 10 + TreeSource.FreedAtOnceBytesMax / 1000);
            blocks = _source.BlockCount;
        }
        Assert.True(slices > 5, $"all was freed in {slices} slices");
    }

    [Fact]
    public void PagesOfASnapshotAreNotFreed()
    {
        HashPages set = Set(MemberCount);
        HashPages snapshot = set.Retain();
        for (int number = 0; number < 100; number++) set.Remove(_source, Member(number));
        set.Release(_source);
        Reclaim();
        Assert.Equal(_source.UsedBytes, snapshot.MemoryBytes);
        for (int number = 0; number < MemberCount; number++)
        {
            Assert.True(snapshot.Contains(_source, Member(number)));
        }
        snapshot.Release(_source);
    }

    [Fact]
    public void AnElementOfManyMegabytesIsFreedInSlices()
    {
        HashPages hash = Set(100);
        byte[] value = new byte[9 << 20];
        value.AsSpan().Fill(7);
        Assert.True(hash.Set(_source, new HashField("big"u8, value)));
        Assert.True(hash.TryGet(_source, "big"u8, out HashField field));
        Assert.True(field.Value.SequenceEqual(value));
        Assert.True(hash.Remove(_source, "big"u8));
        Assert.True(_source.HasGarbage);
        Assert.True(_source.UsedBytes > 9 << 20, "it was freed at once");
        int slices = 1;
        while (_source.ReclaimSlice(8)) slices++;
        Assert.InRange(slices, 18, 40);
        Assert.Equal(_source.UsedBytes, hash.MemoryBytes);
        hash.Release(_source);
    }

    [Fact]
    public void RangesOfASortedSetAreRemovedAtOnce()
    {
        SortedSetTree set = SortedSet(MemberCount, 1);
        set.RemoveRange(_source, 10, MemberCount - 20);
        Assert.Equal(20, set.Count);
        Assert.Null(set.FindFault(_source));
        Reclaim();
        Assert.Equal(_source.UsedBytes, set.MemoryBytes);
        Assert.InRange(set.MemoryBytes, 20 * 50, 8192);
        Assert.Equal(MemberCount - 1, set.CursorAt(19).Score);
        set.Release(_source);
    }

    [Fact]
    public void EachZeroKeepsItsSign()
    {
        SortedSetTree set = SortedSetTree.Create(_source);
        set.Set(_source, "b"u8, -0.0);
        set.Set(_source, "a"u8, 0.0);
        Assert.True(double.IsNegative(set.CursorAt(1).Score));
        Assert.False(double.IsNegative(set.CursorAt(0).Score));
        Assert.False(set.Set(_source, "b"u8, 0.0));
        Assert.True(double.IsNegative(set.CursorAt(1).Score));
        Assert.Throws<ArgumentException>(() => SetNaN(set));
        set.Release(_source);
    }

    [Theory]
    [InlineData(GatheredOrder.RunCountMax, 0.95)]
    [InlineData(MemberCount / 3, 0.5)]
    public void ASetThatIsGatheredHasItsOrderMadeOnce(int runCountMax, double fillMin)
    {
        SortedSetTree set = SortedSetTree.Create(_source);
        using var scratch = new ScratchPool();
        for (int round = 0; round < 3; round++)
        {
            for (int number = 0; number < MemberCount; number++)
            {
                double score = number * 7_919L % MemberCount;
                byte* place = set.Gather(_source, Member(number), score);
                Assert.Equal(round == 0, place == null);
                if (place != null) *(double*)place = -score;
                Assert.Equal(0, set.Order.Count);
            }
        }
        Assert.False(set.IsOrdered);
        set.MakeOrder(_source, scratch, runCountMax);
        Assert.True(set.IsOrdered);
        Assert.Null(set.FindFault(_source));
        Assert.Equal(0, scratch.TakenCount);
        Assert.Equal(1 - MemberCount, set.CursorAt(0).Score);
        Assert.InRange(TreeVerifier.Fill(set.Order).Pages, fillMin, 1);
        set.Release(_source);
    }

    private void SetNaN(SortedSetTree set) => set.Set(_source, "c"u8, double.NaN);

    private static byte[] Member(int number) => System.Text.Encoding.ASCII.GetBytes($"member:{number:D9}");

    private HashPages Set(int count)
    {
        HashPages set = HashPages.Create(_source);
        for (int number = 0; number < count; number++) set.Set(_source, new HashField(Member(number)));
        return set;
    }

    // Scores 0 to count - 1, in steps.
    private SortedSetTree SortedSet(int count, int step)
    {
        SortedSetTree set = SortedSetTree.Create(_source);
        for (long number = 0; number < count; number++)
        {
            int score = (int)((number * step % count + count) % count);
            set.Set(_source, Member(score), score);
        }
        return set;
    }

    private void Reclaim()
    {
        while (_source.ReclaimSlice(1000))
        {
        }
    }
}
