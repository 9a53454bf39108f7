using System;
using System.Linq;
using Cinnabar.Memory;
using Cinnabar.Structures.Blocks;
using Cinnabar.Tests.Unit.Platform;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures;

public sealed class BlockStringTests : IDisposable
{
    private const int Leaf = 64 * 1024;
    private const long Node = 2176;    // the size class of a node with 256 places

    private readonly PageSource _pages = new(isChecked: true);
    private readonly BlockSource _source;

    public BlockStringTests() => _source = new BlockSource(_pages);

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
    public void AnEmptyStringHasNoSpans()
    {
        BlockString value = BlockString.Create(_source, default);
        Assert.Equal(0, value.Length);
        Assert.True(value.SpanAt(0).IsEmpty);
        foreach (ReadOnlySpan<byte> span in value.Spans()) Assert.Fail($"{span.Length} bytes of nothing");
        value.Release(_source);
        Assert.True(value.IsNull);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(Leaf)]
    [InlineData(Leaf + 1)]
    [InlineData(300 * Leaf + 17)]
    public void MemoryBytesAreWhatTheSourceHasInUse(int length)
    {
        BlockString value = BlockString.Create(_source, Bytes(length));
        Assert.Equal(_source.UsedBytes, value.MemoryBytes);
        Assert.InRange(value.MemoryBytes, length, length + length / 4 + 8192);
        value.Resize(_source, length / 2);
        Reclaim();
        Assert.Equal(_source.UsedBytes, value.MemoryBytes);
        value.Append(_source, Bytes(100_000));
        Assert.Equal(_source.UsedBytes, value.MemoryBytes);
        value.Release(_source);
    }

    [Fact]
    public void FourGibibytesOfZeroesCostNodesOnly()
    {
        BlockString value = BlockString.CreateZero(_source, BlockString.LengthMax);
        Assert.Equal(BlockString.LengthMax, value.Length);
        Assert.Equal(Node, value.MemoryBytes);
        value.Write(_source, BlockString.LengthMax - 1, [7]);
        Assert.InRange(value.MemoryBytes, 2 * Node + Leaf, 2 * Node + Leaf + 100);
        Assert.Equal(7, value.SpanAt(BlockString.LengthMax - 1)[0]);
        Assert.Equal(0, value.SpanAt(BlockString.LengthMax - 2)[0]);
        Assert.Equal(0, value.SpanAt(1L << 31)[0]);
        Assert.Throws<ArgumentOutOfRangeException>(() => value.Append(_source, [1]));
        Assert.Throws<ArgumentOutOfRangeException>(() => value.Resize(_source, BlockString.LengthMax + 1));
        value.Release(_source);
    }

    [Fact]
    public void AnUnsharedLeafIsWrittenInPlace()
    {
        BlockString value = BlockString.Create(_source, Bytes(1000 * Leaf));
        long usedBefore = _source.UsedBytes;
        nint rootBefore = value.Address;
        const int At = 500 * Leaf + 5;
        unsafe
        {
            fixed (byte* before = value.SpanAt(At), after = value.WritableSpanAt(_source, At))
            {
                Assert.True(before == after, "the leaf was copied");
            }
        }
        Assert.Equal(rootBefore, value.Address);
        Assert.Equal(usedBefore, _source.UsedBytes);
        value.Release(_source);
    }

    [Fact]
    public void AWriterCopiesOnlyThePathThatIsShared()
    {
        byte[] bytes = Bytes(1000 * Leaf);
        BlockString value = BlockString.Create(_source, bytes);
        BlockString snapshot = value.Retain();
        long usedBefore = _source.UsedBytes;
        value.Write(_source, 999L * Leaf, [1, 2, 3]);
        Assert.InRange(_source.UsedBytes - usedBefore, Leaf + 2 * Node, Leaf + 2 * Node + 100);
        value.Write(_source, 999L * Leaf + 100, [4]);
        Assert.InRange(_source.UsedBytes - usedBefore, Leaf + 2 * Node, Leaf + 2 * Node + 100);
        Assert.True(snapshot.SpanAt(999L * Leaf).SequenceEqual(bytes.AsSpan(999 * Leaf)));
        Assert.Equal(4, value.SpanAt(999L * Leaf + 100)[0]);
        snapshot.Release(_source);
        Reclaim();
        Assert.Equal(_source.UsedBytes, value.MemoryBytes);
        value.Release(_source);
    }

    [Fact]
    public unsafe void AnAdoptedRegionIsNotCopied()
    {
        BlockRegion region = BlockRegion.Allocate(_source, 20 * Leaf + 1);
        byte[] bytes = Bytes(20 * Leaf + 1);
        bytes.CopyTo(new Span<byte>(region.Data, bytes.Length));
        byte* data = region.Data;
        BlockString value = BlockString.Adopt(_source, region, bytes.Length);
        fixed (byte* at = value.SpanAt(7 * Leaf)) Assert.True(at == data + 7 * Leaf, "the region was copied");
        byte[] copy = new byte[bytes.Length];
        value.CopyTo(0, copy);
        Assert.True(copy.SequenceEqual(bytes));

        long mapped = _source.MappedBytes;
        long used = _source.UsedBytes;
        value.Resize(_source, Leaf);
        Reclaim();
        Assert.InRange(used - _source.UsedBytes, 19 * Leaf, 20 * Leaf + 4096);
        Assert.InRange(mapped - _source.MappedBytes, 19 * Leaf, 20 * Leaf);
        mapped = _source.MappedBytes;
        value.Release(_source);
        Reclaim();
        Assert.InRange(mapped - _source.MappedBytes, Leaf, 2 * Leaf);
    }

    [Fact]
    public unsafe void SmallRegionsAreUsedAgainUntilTrimmed()
    {
        BlockRegion first = BlockRegion.Allocate(_source, 100_000);
        byte* data = first.Data;
        first.Release(_source);
        BlockRegion second = BlockRegion.Allocate(_source, 70_000);
        Assert.True(data == second.Data, "the region was mapped afresh");
        BlockString value = BlockString.Adopt(_source, second, 70_000);
        value.Release(_source);
        long mapped = _source.MappedBytes;
        _source.Trim();
        Assert.True(mapped - _source.MappedBytes >= 2 * Leaf, "nothing was trimmed");
    }

    // The process of the tests has a few dozens of mappings more or fewer at any time.
    [Fact]
    public void ReleasedRegionsDoNotSplitMappings()
    {
        Assert.SkipUnless(Mappings.Count() > 0, "the system does not show mappings");
        var regions = new BlockRegion[4000];
        for (int i = 0; i < regions.Length; i++) regions[i] = BlockRegion.Allocate(_source, 65_537);
        int before = Mappings.Count();
        for (int i = 0; i < regions.Length; i += 2) regions[i].Release(_source);
        Reclaim();
        Assert.InRange(Mappings.Count(), 0, before + (regions.Length / 10));
        for (int i = 1; i < regions.Length; i += 2) regions[i].Release(_source);
        Reclaim();
        _source.Trim();
        Assert.Equal(0, _source.BlockCount);
    }

    // More than vm.max_map_count of Linux. Their memory is not touched: there are 9 GB of them.
    [Fact]
    public void HalfOfVeryManyReleasedRegionsLeaveFewMappings()
    {
        const int RegionCount = 140_000;
        const int MappingCountMax = 8192;
        Assert.SkipUnless(Mappings.Count() > 0, "the system does not show mappings");
        using PageSource pages = new(isChecked: false);
        using BlockSource source = new(pages);
        var regions = new BlockRegion[RegionCount];
        for (int i = 0; i < RegionCount; i++) regions[i] = BlockRegion.Allocate(source, 65_537);
        for (int i = 0; i < RegionCount; i += 2) regions[i].Release(source);
        Reclaim(source);
        Assert.InRange(Mappings.Count(), 0, MappingCountMax);
        for (int i = 1; i < RegionCount; i += 2) regions[i].Release(source);
        Reclaim(source);
        source.Trim();
        Assert.Equal(0, source.BlockCount);
    }

    [Fact]
    public void TheReserveIsBounded()
    {
        var regions = new BlockRegion[20];
        for (int i = 0; i < regions.Length; i++) regions[i] = BlockRegion.Allocate(_source, 16 * Leaf);
        long mapped = _source.MappedBytes;
        foreach (BlockRegion region in regions) region.Release(_source);
        Reclaim();
        Assert.True(mapped - _source.MappedBytes >= 11 * 16 * Leaf, "more is kept than 8 MiB");
    }

    [Fact]
    public void ARegionThatIsNotAdoptedIsGivenBack()
    {
        BlockRegion.Allocate(_source, 1).Release(_source);
        BlockRegion.Allocate(_source, 700 * Leaf).Release(_source);
        Assert.True(_source.HasGarbage);
    }

    [Fact]
    public void ABigStringIsFreedInSlices()
    {
        BlockString value = BlockString.Create(_source, Bytes(600 * Leaf));
        long used = _source.UsedBytes;
        value.Release(_source);
        Assert.Equal(used, _source.UsedBytes);
        int slices = 0;
        for (; _source.ReclaimSlice(10); slices++)
        {
            long freed = used - _source.UsedBytes;
            Assert.True(freed <= 10 * (Leaf + 24) + Node, $"a slice freed {freed} bytes");
            used = _source.UsedBytes;
        }
        Assert.InRange(slices, 58, 64);
    }

    [Fact]
    public void ASmallStringIsFreedAtOnce()
    {
        BlockString value = BlockString.Create(_source, Bytes(3 * Leaf));
        value.Release(_source);
        Assert.False(_source.HasGarbage);
        Assert.Equal(0, _source.UsedBytes);
    }

    [Fact]
    public void TruncatingABigStringLeavesTheFreeingToTheSource()
    {
        BlockString value = BlockString.Create(_source, Bytes(600 * Leaf));
        long used = _source.UsedBytes;
        value.Resize(_source, 1);
        Assert.True(_source.UsedBytes >= used, "more than a moment's work was done at once");
        Reclaim();
        Assert.Equal(_source.UsedBytes, value.MemoryBytes);
        value.Resize(_source, 300 * Leaf);
        Assert.Equal(0, value.SpanAt(1)[0]);
        value.Release(_source);
    }

    [Fact]
    public void BytesBehindAShrunkenEndComeBackAsZeroes()
    {
        BlockString value = BlockString.Create(_source, Bytes(Leaf + 1000));
        value.Resize(_source, Leaf + 10);
        value.Resize(_source, Leaf + 500);
        Assert.False(value.SpanAt(Leaf + 10).ContainsAnyExcept((byte)0));
        Assert.Equal(490, value.SpanAt(Leaf + 10).Length);
        value.Release(_source);
    }

    private static byte[] Bytes(int count)
    {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) bytes[i] = (byte)(i * 7 + i / 251 + 1);
        return bytes;
    }

    private void Reclaim() => Reclaim(_source);

    private static void Reclaim(BlockSource source)
    {
        while (source.ReclaimSlice(1000))
        {
        }
    }
}
