using System.Threading;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

/// <summary>
/// Prefetches need no lock: a loop prefetches whatever it likes while another thread makes the table grow,
/// shrink, vanish and come back. A read outside mapped memory would end the test process.
/// </summary>
public class TablePrefetchProperties
{
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
