using System;
using Cinnabar.Memory;
using Cinnabar.Structures.Deadlines;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures;

public sealed class DeadlineIndexTests : IDisposable
{
    private const long NowMs = 1_735_689_600_123;

    private readonly PageSource _pages = new(isChecked: false);
    private readonly Arena _arena;
    private readonly DeadlineIndex _index;
    private readonly DeadlineRecord[] _into = new DeadlineRecord[256];

    public DeadlineIndexTests()
    {
        _arena = new Arena(_pages, "stripe");
        _index = new DeadlineIndex(_arena, NowMs);
    }

    public void Dispose()
    {
        _index.Dispose();
        Assert.Equal(0, _arena.UsedBytes);
        _arena.Dispose();
        _pages.Dispose();
    }

    [Fact]
    public void AnEmptyIndexHasNothingDue()
    {
        Assert.Equal(long.MaxValue, _index.NextDeadlineMs);
        Assert.Equal(0, _index.TakeDue(long.MaxValue, _into));
        Assert.Equal(0, _arena.UsedBytes);
    }

    [Fact]
    public void TheEarliestRecordsAreFoundAndStay()
    {
        var random = new Random(3);
        var deadlines = new System.Collections.Generic.List<long>();
        for (int count = 0; count < 3000; count++)
        {
            deadlines.Add(NowMs + random.NextInt64(1L << random.Next(1, 40)));
            _index.Add(deadlines[^1], 3, (ulong)count);
        }

        for (long nowMs = NowMs; _index.Count > 0; nowMs += random.NextInt64(1L << random.Next(1, 38)))
        {
            Span<DeadlineRecord> earliest = _into.AsSpan(0, 10);
            int count = _index.CopyEarliest(earliest, 1_000_000);
            deadlines.Sort();
            Assert.Equal(Math.Min(10, deadlines.Count), count);
            for (int index = 0; index < count; index++)
                Assert.Equal(deadlines[index], earliest[index].DeadlineMs);
            int taken = _index.TakeDue(nowMs, _into);
            for (int index = 0; index < taken; index++)
                deadlines.Remove(_into[index].DeadlineMs);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(NowMs - 1)]
    [InlineData(NowMs)]
    [InlineData(NowMs + 1)]
    [InlineData(NowMs + 70_000)]
    [InlineData(NowMs + 100L * 365 * 86_400_000)]
    [InlineData((1L << 48) + 5)]
    [InlineData(long.MaxValue - 1)]
    [InlineData(long.MaxValue)]
    public void ADeadlineIsDueFromItsMillisecondOn(long deadlineMs)
    {
        _index.Add(deadlineMs, 15, 0xFEDC_BA98_7654_3210);
        Assert.Equal(deadlineMs, _index.NextDeadlineMs);
        if (deadlineMs > 0) Assert.Equal(0, _index.TakeDue(deadlineMs - 1, _into));
        Assert.Equal(deadlineMs, _index.NextDeadlineMs);
        Assert.Equal(1, _index.TakeDue(deadlineMs, _into));
        Assert.Equal(new DeadlineRecord(deadlineMs, 15, 0xFEDC_BA98_7654_3210), _into[0]);
        Assert.Equal(long.MaxValue, deadlineMs == long.MaxValue ? long.MaxValue : _index.NextDeadlineMs);
    }

    [Fact]
    public void ADatabaseNumberMayHave31Bits()
    {
        _index.Add(NowMs, int.MaxValue, 1);
        _index.Add(NowMs, 0, 2);
        _index.Add(NowMs, 65_536, 3);
        Assert.Equal(3, _index.TakeDue(NowMs, _into));
        Assert.Equal(int.MaxValue, Array.Find(_into, record => record.Hash == 1).Database);
        Assert.Equal(0, Array.Find(_into, record => record.Hash == 2).Database);
        Assert.Equal(65_536, Array.Find(_into, record => record.Hash == 3).Database);
    }

    [Fact]
    public void AMillionKeysOfOneInstantAreTakenInPortions()
    {
        const int Count = 1_000_000;
        for (int i = 0; i < Count; i++) _index.Add(NowMs + 5_000_000, 0, (ulong)i);
        Assert.Equal(0, _index.TakeDue(NowMs + 4_999_999, _into));
        int taken = 0;
        while (_index.NextDeadlineMs <= NowMs + 5_000_000)
        {
            int count = _index.TakeDue(NowMs + 5_000_000, _into);
            Assert.Equal(Math.Min(_into.Length, Count - taken), _index.Count == 0 ? count : _into.Length);
            taken += count;
        }
        Assert.Equal(Count, taken);
    }

    [Fact]
    public void AFullSlotCosts17BytesARecord()
    {
        const int Count = 150_000;
        for (int i = 0; i < Count; i++) _index.Add(NowMs + 5_000_000, 0, (ulong)i);
        Assert.Equal(_index.MemoryBytes, _arena.UsedBytes);
        Assert.InRange(_index.MemoryBytes - 4096, Count * 17L, Count * 17L + Count / 10);
    }

    [Fact]
    public void OpeningAHugeSlotIsSpreadOverCallsAndTheNextDeadlineStaysRight()
    {
        // One record is due, the others stand in the same slot of a high level but are later.
        for (int i = 1; i < 10_000; i++) _index.Add(NowMs + 20_000_000 + i, 0, (ulong)i);
        _index.Add(NowMs + 20_000_000, 0, 0);
        int calls = 0;
        int taken = 0;
        for (; _index.NextDeadlineMs <= NowMs + 20_000_000; calls++)
        {
            taken += _index.TakeDue(NowMs + 20_000_000, _into);
        }
        Assert.Equal(1, taken);
        Assert.InRange(calls, 10_000 / 512, 100);
        Assert.Equal(NowMs + 20_000_001, _index.NextDeadlineMs);
    }

    [Fact]
    public void WhenTheClockGoesBackNothingFiresEarlyOrLate()
    {
        for (int i = 0; i < 1000; i++) _index.Add(NowMs + i * 7919L, 0, (ulong)i);
        while (_index.NextDeadlineMs <= NowMs + 3_000_000) _index.TakeDue(NowMs + 3_000_000, _into);
        long left = _index.Count;
        _index.Add(NowMs - 90_000, 0, 5000);
        Assert.Equal(0, _index.TakeDue(NowMs - 100_000, _into));
        Assert.Equal(NowMs - 90_000, _index.NextDeadlineMs);
        Assert.Equal(1, _index.TakeDue(NowMs - 90_000, _into));
        Assert.Equal(left, _index.Count);
        Assert.Equal(0, _index.TakeDue(NowMs + 3_000_000, _into));
    }

    [Fact]
    public void CompactionDropsOnlyDeadRecords()
    {
        for (int i = 0; i < 6000; i++) _index.Add(NowMs + 10 + i * 977L, 0, (ulong)i);
        Assert.False(_index.IsCompactionDue);
        _index.NoteStale(4000);
        Assert.True(_index.IsCompactionDue);
        var validator = new KeepsEveryThird();
        int slices = 1;
        while (!_index.CompactSlice(100, ref validator)) slices++;
        Assert.InRange(slices, 60, 62);
        Assert.Equal(2000, _index.Count);
        Assert.Equal(0, _index.StaleCount);
        Assert.False(_index.IsCompactionDue);
        Assert.Equal(NowMs + 10, _index.NextDeadlineMs);
        Assert.Equal(_index.MemoryBytes, _arena.UsedBytes);
    }

    [Fact]
    public void TheHotPathAllocatesNothingManaged()
    {
        for (int warm = 0; warm < 2; warm++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < 10_000; i++) _index.Add(NowMs + i, 0, (ulong)i);
            while (_index.NextDeadlineMs <= NowMs + 20_000) _index.TakeDue(NowMs + 20_000, _into);
            if (warm == 1) Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        }
    }

    private readonly struct KeepsEveryThird : IDeadlineValidator
    {
        public bool IsLive(in DeadlineRecord record) => record.Hash % 3 == 0;
    }
}
