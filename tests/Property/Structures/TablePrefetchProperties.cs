using System.Threading;
using Cinnabar.Platform;
using Cinnabar.Structures.Tables;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

/// <summary>
/// Prefetches need no lock: a loop prefetches whatever it likes while another thread makes the table grow,
/// shrink, vanish and come back. A read outside mapped memory would end the test process.
/// </summary>
public class TablePrefetchProperties
{
    private const ulong KeyCount = 10_000;

    [Fact]
    public void PrefetchesSurviveEveryChangeOfShape()
    {
        using var fixture = new TableFixture();
        using var isReading = new ManualResetEventSlim();
        bool isOver = false;
        long turnCount = 0;
        var loop = new Thread(() =>
        {
            var random = new RandomSource(5);
            while (!Volatile.Read(ref isOver))
            {
                fixture.Quiescence.Enter(0);
                for (int index = 0; index < 64; index++)
                {
                    ulong hash = random.Next();
                    fixture.Prefetch(hash);
                }

                fixture.Quiescence.Exit(0);
                turnCount++;
                isReading.Set();
            }
        });
        loop.Start();
        isReading.Wait();
        try
        {
            Change(fixture);
        }
        finally
        {
            Volatile.Write(ref isOver, true);
            loop.Join();
        }

        Assert.True(turnCount > 0);
        Assert.Null(fixture.Table.FindFault());
    }

    /// <summary>What a prefetch found is what a lookup finds, as long as the version is the same.</summary>
    [Fact]
    public unsafe void APrefetchIsValidWhileTheVersionIsUnchanged()
    {
        using var fixture = new TableFixture();
        var random = new RandomSource(7);
        int heldCount = 0;
        for (int round = 0; round < 100_000; round++)
        {
            // Ever more keys, then ever fewer: segments and directories come and go.
            bool isGrowing = round / 25_000 % 2 == 0;
            ulong hash = fixture.Hash((long)random.NextBelow(KeyCount));
            nint version = fixture.Version;
            byte* home = SegmentTable<KeyedEntry>.Prefetch(fixture.Directory, hash);
            ChangeOne(fixture, ref random, isGrowing);
            byte* slot = SegmentTable<KeyedEntry>.Guess(home, hash);
            ChangeOne(fixture, ref random, isGrowing);
            if (slot == null || fixture.Version != version)
                continue;
            heldCount++;
            byte* entry = SegmentTable<KeyedEntry>.EntryIn(slot);
            Assert.True(fixture.Find(TableFixture.KeyOf(entry)) == entry);
        }

        Assert.True(heldCount > 0);
    }

    private static void ChangeOne(TableFixture fixture, ref RandomSource random, bool isGrowing)
    {
        long key = (long)random.NextBelow(KeyCount);
        int action = (int)random.NextBelow(8);
        if (action == 4 && fixture.Contains(key))
            fixture.Reallocate(key);
        else if (action < 4 && action < 3 != isGrowing)
            fixture.Remove(key);
        else if (action < 4 && !fixture.Contains(key))
            fixture.Insert(key);
    }

    private static void Change(TableFixture fixture)
    {
        var random = new RandomSource(6);
        long nextKey = 0;
        for (int round = 0; round < 12; round++)
        {
            long target = (long)random.NextBelow(20_000);
            while (fixture.Keys.Count < target)
            {
                fixture.Insert(nextKey++);
                if (nextKey % 256 == 0)
                    fixture.Quiescence.Poll();
            }

            int kept = (int)random.NextBelow(2) * 100;
            while (fixture.Keys.Count > kept)
                fixture.Remove(fixture.Keys[(int)random.NextBelow((ulong)fixture.Keys.Count)]);
            fixture.Quiescence.Poll();
        }
    }
}
