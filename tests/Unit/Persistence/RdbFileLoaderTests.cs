using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using Cinnabar.Keyspace;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Loading;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>Loading whole files, on one thread and on several.</summary>
public sealed class RdbFileLoaderTests
{
    private const long NowMs = 1_000_000;
    private const int KeyCount = 1500;
    private const int FuzzRounds = 300;
    private const int FuzzPart = 20;
    private readonly ManualClock _clock = new();
    private readonly LoadRecorder _recorder = new();
    private readonly Stopwatch _started = Stopwatch.StartNew();

    /// <summary>However many threads load, and however the file is cut, the data are the same.</summary>
    [Theory]
    [InlineData(1, 1 << 20)]
    [InlineData(2, 64)]
    [InlineData(4, 4096)]
    [InlineData(3, 65536)]
    public void ThreadsLoadWhatOneLoads(int workerCount, int blockSize)
    {
        byte[] file = RandomFile(new Random((int)Seeded.Seed()), KeyCount);
        string expected = LoadAndDigest(file, new RdbReadOptions { NowMs = NowMs });
        var options = new RdbReadOptions { NowMs = NowMs, WorkerCount = workerCount, BlockSize = blockSize };
        Assert.Equal(expected, LoadAndDigest(file, options));
        Assert.Equal(KeyCount, _recorder.Progress!.KeysLoaded);
        Assert.Equal(file.Length, _recorder.Progress.LoadedBytes);
    }

    /// <summary>A load for an execution that holds all stripes takes none of them.</summary>
    [Fact]
    public void AnExecutionThatHoldsAllStripesLoads()
    {
        byte[] file = RandomFile(new Random((int)Seeded.Seed()), KeyCount);
        string expected = LoadAndDigest(file, new RdbReadOptions { NowMs = NowMs });
        using TestServer server = MakeServer();
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            Assert.True(stripe.Lock.TryEnter());
        Load(server, file, new RdbReadOptions { NowMs = NowMs, WorkerCount = 3, IsHoldingStripes = true });
        foreach (Stripe stripe in server.Engine.Keyspace.Stripes)
            stripe.Lock.Exit();
        Assert.Equal(expected, server.Connect().Run("DEBUG DIGEST"));
    }

    /// <summary>Keys past their deadline are dropped, or kept for the commands that follow.</summary>
    [Fact]
    public void ExpiredKeysAreDroppedOrKept()
    {
        byte[] file = new RdbFileBuilder().Select(1).Expire(NowMs - 1).String("gone", "1")
            .Expire(NowMs).String("now", "1").Expire(NowMs + 1).String("later", "1")
            .String("ever", "1").End();
        using TestServer server = MakeServer();
        Load(server, file, new RdbReadOptions { NowMs = NowMs });
        Assert.Equal((3, 1), (_recorder.Progress!.KeysLoaded, _recorder.Progress.KeysExpired));
        Assert.Equal(3, server.Engine.Keyspace.Count(1));
        Assert.Equal(2, server.Engine.Keyspace.VolatileCount(1));
        using TestServer keeping = MakeServer();
        Load(keeping, file, new RdbReadOptions { NowMs = NowMs, Due = static () => DueKeys.Kept });
        Assert.Equal(4, keeping.Engine.Keyspace.Count(1));
    }

    /// <summary>A key that is there already is refused, or replaced, whatever type either has.</summary>
    [Fact]
    public void AKeyThatIsThereIsRefusedOrReplaced()
    {
        byte[] file = new RdbFileBuilder().Collection(RdbType.List, "k", "a", "b").End();
        using TestServer server = MakeServer();
        TestClient client = server.Connect();
        client.Run("SET k old");
        RdbFormatException fault = Assert.Throws<RdbFormatException>(
            () => Load(server, file, new RdbReadOptions { NowMs = NowMs }));
        Assert.Equal("RDB has duplicated key 'k' in DB 0", fault.Message);
        Assert.Equal("$old", client.Run("GET k"));
        Load(server, file, new RdbReadOptions { NowMs = NowMs, ReplacesKeys = true });
        Assert.Equal("*[$a, $b]", client.Run("LRANGE k 0 -1"));
    }

    /// <summary>Collections without elements, which old servers wrote by mistake, are left out and
    /// named.</summary>
    [Fact]
    public void EmptyCollectionsAreLeftOut()
    {
        byte[] file = new RdbFileBuilder().Collection(RdbType.Set, "empty").String("a", "1").End();
        using TestServer server = MakeServer();
        Load(server, file, new RdbReadOptions { NowMs = NowMs });
        Assert.Equal((1, 1), (_recorder.Progress!.KeysLoaded, _recorder.Progress.EmptyKeys));
        Assert.Contains("empty empty", _recorder.Lines);
    }

    /// <summary>What a key had of its use comes back.</summary>
    [Fact]
    public void TheTimeOfTheLastUseIsLoaded()
    {
        byte[] file = new RdbFileBuilder().Opcode(RdbOpcode.Idle).Count(100).String("a", "1").End();
        using TestServer server = MakeServer();
        Load(server, file, new RdbReadOptions { NowMs = _clock.UnixMicroseconds / 1000 });
        Assert.Equal(":100", server.Connect().Run("OBJECT IDLETIME a"));
    }

    /// <summary>The load ends where it is stopped, with all its threads.</summary>
    [Fact]
    public void ALoadIsStopped()
    {
        byte[] file = RandomFile(new Random(1), 1000);
        using var stop = new CancellationTokenSource();
        var options = new RdbReadOptions
        {
            NowMs = NowMs,
            WorkerCount = 2,
            BlockSize = 1024,
            KeyDelay = new KeyDelay { DelayUs = long.MaxValue },
        };
        using TestServer server = MakeServer();
        using var memory = new MemoryFile(file);
        stop.CancelAfter(1);
        Assert.ThrowsAny<OperationCanceledException>(() =>
            RdbFileLoader.Load(memory, server.Engine.Keyspace, options, _recorder, stop.Token));
        Assert.Equal(0, _recorder.Progress!.KeysLoaded);
    }

    /// <summary>The load ends with keys loaded, and with blocks that wait for their turn.</summary>
    [Fact]
    public void ALoadIsStoppedHalfway()
    {
        const int KeyCount = 1000;
        byte[] file = RandomFile(new Random(1), KeyCount);
        using var stop = new CancellationTokenSource();
        var recorder = new LoadRecorder
        {
            Advancing = progress =>
            {
                if (progress.KeysLoaded > 0)
                    stop.Cancel();
            },
        };
        var options = new RdbReadOptions
        {
            NowMs = NowMs,
            WorkerCount = 2,
            BlockSize = 1024,
            KeyDelay = new KeyDelay { DelayUs = 1000 },
        };
        using TestServer server = MakeServer();
        using var memory = new MemoryFile(file);
        Assert.ThrowsAny<OperationCanceledException>(() =>
            RdbFileLoader.Load(memory, server.Engine.Keyspace, options, recorder, stop.Token));
        Assert.InRange(recorder.Progress!.KeysLoaded, 1, KeyCount - 1);
    }

    /// <summary>A file that ends early is refused at every length, on several threads.</summary>
    [Fact]
    public void EveryTruncationIsRefused()
    {
        byte[] file = RandomFile(new Random(2), 12);
        for (int length = 0; length < file.Length; length++)
        {
            var options = new RdbReadOptions { NowMs = NowMs, WorkerCount = length % 3, BlockSize = 64 };
            Assert.ThrowsAny<RdbFormatException>(() => LoadAlone(file[..length], options));
        }
    }

    /// <summary>Whatever bytes a file has, it is loaded or refused, and every byte of memory comes back; the
    /// checksum does not help.</summary>
    [Fact]
    public void DamagedFilesAreLoadedOrRefused() => Seeded.RunWhile(HasNextRound, seed =>
    {
        var random = new Random((int)seed);
        byte[] file = RandomFile(random, 20);
        for (int count = random.Next(1, 6); count > 0; count--)
        {
            int index = random.Next(RdbVersion.HeaderSize, file.Length);
            switch (random.Next(3))
            {
                case 0:
                    file[index] = (byte)random.Next(256);
                    break;
                case 1:
                    file[index] ^= (byte)(1 << random.Next(8));
                    break;
                default:
                    int length = random.Next(1, Math.Min(20, file.Length - index + 1));
                    file = [.. file[..index], .. file[(index + random.Next(length))..]];
                    break;
            }

            if (file.Length <= RdbVersion.HeaderSize)
                return;
        }

        var options = new RdbReadOptions
        {
            NowMs = NowMs,
            WorkerCount = random.Next(3),
            BlockSize = random.Next(16, 4096),
            IsChecksumVerified = false,
            SkipsModuleKeys = random.Next(2) == 0,
        };
        try
        {
            LoadAlone(file, options);
        }
        catch (RdbFormatException fault)
        {
            Assert.InRange(fault.Offset, 0, file.Length);
        }
    });

    // Some rounds, and more for a part of CINNABAR_TEST_SECONDS and CINNABAR_INPUTS.
    private bool HasNextRound(int round) => round < Math.Max(FuzzRounds, AskedCounts.Inputs)
        || (int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"), out int seconds)
            && _started.Elapsed < TimeSpan.FromSeconds((double)seconds / FuzzPart));

    private static byte[] RandomFile(Random random, int keyCount)
    {
        RdbFileBuilder file = new();
        file.Aux("redis-ver", "7.0.15").Select(0).Opcode(RdbOpcode.ResizeDatabase).Count(keyCount).Count(0);
        for (int index = 0; index < keyCount; index++)
        {
            if (random.Next(keyCount / 4) == 0)
                file.Select(random.Next(16));
            if (random.Next(4) == 0)
                file.Expire(NowMs + 1 + random.Next());
            string key = $"key:{index}";
            switch (random.Next(6))
            {
                case 0:
                    // A key that is an integer of four bytes.
                    file.Raw((byte)RdbType.String, 0xC2)
                        .Raw(BitConverter.GetBytes(index + 1_000_000)).Text("v");
                    break;
                case 1:
                    int length = random.Next(20) == 0 ? 20_000 : random.Next(99);
                    file.String(key, new string('x', length));
                    break;
                case 2:
                    file.Collection(RdbType.Hash, key, Elements(random, 2 * random.Next(1, 9)));
                    break;
                default:
                    RdbType type = random.Next(2) == 0 ? RdbType.List : RdbType.Set;
                    file.Collection(type, key, Elements(random, random.Next(1, 300)));
                    break;
            }
        }

        return file.End();
    }

    private static string[] Elements(Random random, int count) => [.. Enumerable.Range(0, count)
        .Select(index => (index * random.Next(1, 2)).ToString("D4", CultureInfo.InvariantCulture))];

    private TestServer MakeServer() =>
        new(loopCount: 2, clock: _clock, ("enable-debug-command", "yes"));

    private void Load(TestServer server, byte[] file, RdbReadOptions options)
    {
        using var memory = new MemoryFile(file);
        RdbFileLoader.Load(memory, server.Engine.Keyspace, options, _recorder);
    }

    // Into a key space of its own, which must give back every byte.
    private void LoadAlone(byte[] file, RdbReadOptions options)
    {
        var keyspace = new Cinnabar.Keyspace.Keyspace(new KeyspaceOptions
        {
            Clock = _clock,
            StripeCount = 4,
            IsChecked = true,
            Seed = new HashSeed(1, 2),
        });
        try
        {
            using var memory = new MemoryFile(file);
            // One of its own: the notes of a million loads would count as memory of the last one.
            var recorder = new LoadRecorder();
            MemoryBound bound = MemoryBound.Begin(keyspace.Pages);
            try
            {
                RdbFileLoader.Load(memory, keyspace, options, recorder);
            }
            finally
            {
                bound.AssertKept(file.Length);
            }
        }
        finally
        {
            keyspace.Dispose();
            Assert.Empty(keyspace.Pages.LeakReport());
        }
    }

    private string LoadAndDigest(byte[] file, RdbReadOptions options)
    {
        using TestServer server = MakeServer();
        Load(server, file, options);
        return server.Connect().Run("DEBUG DIGEST");
    }
}
