using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Memory;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Journal.Checking;
using Cinnabar.Persistence.Journal.Loading;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Journal;

/// <summary>An append-only file whose parts were damaged, the manifest among them, is loaded or refused with
/// a reason; what was loaded once is loaded again; the check of files ends; memory stays within a factor of
/// the input. Open-ended with CINNABAR_TEST_SECONDS and CINNABAR_INPUTS.</summary>
public sealed class AofFuzzTests
{
    private const int RoundCount = 250;
    private const int ManifestCount = 5000;
    private const int TestPart = 20;

    private static readonly string s_directory =
        Path.Combine(Directory.GetCurrentDirectory(), "appendonlydir");

    private readonly long _endMs = Environment.TickCount64 + (Seconds * 1000);

    private static long Seconds =>
        int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"),
            CultureInfo.InvariantCulture, out int seconds) ? seconds / TestPart : 0;

    [Fact]
    public void DamagedFilesAreLoadedOrRefused() => Seeded.RunWhile(HasNextRound, seed =>
    {
        var random = new Random((int)seed);
        SimulatedFileSystem whole = Written(random);
        int refusedCount = 0;
        for (int round = 0; round < RoundCount; round++)
        {
            SimulatedFileSystem damaged = Damaged(random, whole);
            Check(damaged, random);
            (string, string)[] options =
            [
                ("aof-load-truncated", random.Next(2) == 0 ? "yes" : "no"),
                ("aof-load-corrupt-tail-max-size", random.Next(2) == 0 ? "0" : $"{random.Next(300)}"),
            ];
            string? digest = Load(damaged, options);
            refusedCount += digest is null ? 1 : 0;
            if (digest is not null)
                Assert.Equal(digest, Load(damaged, options));
        }

        Assert.InRange(refusedCount, RoundCount / 10, RoundCount - 1);
    });

    /// <summary>A count of arguments or a length that the file does not have is not allocated for.</summary>
    [Theory]
    [InlineData("*2147483647\r\n$3\r\nSET\r\n")]
    [InlineData("*1048576\r\n$3\r\nSET\r\n")]
    [InlineData("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$536870912\r\nx")]
    [InlineData("*3\r\n$3\r\nSET\r\n$2147483647\r\nk\r\n")]
    [InlineData("*3\r\n$3\r\nSET\r\n$9223372036854775807\r\nk\r\n")]
    public void WhatIsClaimedIsNotAllocated(string commands)
    {
        var files = new SimulatedFileSystem();
        files.Put(Path.Combine(s_directory, "appendonly.aof.manifest"),
            "file a.base.aof seq 1 type b\nfile a.incr.aof seq 1 type i\n"u8);
        files.Put(Path.Combine(s_directory, "a.base.aof"), ""u8);
        files.Put(Path.Combine(s_directory, "a.incr.aof"), Encoding.ASCII.GetBytes(commands));
        Check(files, new Random(1));
        Assert.Null(Load(files, [("aof-load-truncated", "no")]));
    }

    [Fact]
    public void DamagedManifestsAreReadOrRefused() => Seeded.RunWhile(HasNextManifest, seed =>
    {
        var random = new Random((int)seed);
        AofManifest manifest = AofManifest.Empty.WithBase("a b\x01.aof", isSnapshot: random.Next(2) == 0);
        for (int count = random.Next(5); count > 0; count--)
            manifest = manifest.WithIncrement("a b\x01.aof");
        manifest = manifest.WithBase("appendonly.aof", isSnapshot: true).WithoutIncrements(0);
        byte[] text = manifest.Format();
        Assert.Equal(text, AofManifest.Parse(text).Format());
        using var pages = new PageSource(isChecked: true);
        for (int round = 0; round < ManifestCount; round++)
        {
            byte[] damaged = Damage.Of(random, text);
            MemoryBound bound = MemoryBound.Begin(pages);
            try
            {
                AofManifest parsed = AofManifest.Parse(damaged);
                Assert.Equal(parsed.Format(), AofManifest.Parse(parsed.Format()).Format());
            }
            catch (AofManifestException fault)
            {
                Assert.NotEmpty(fault.Message);
            }

            bound.AssertKept(damaged.Length);
        }
    });

    private bool HasNextRound(int round) => HasNext((long)round * RoundCount);

    private bool HasNextManifest(int round) => HasNext((long)round * ManifestCount);

    private bool HasNext(long inputCount) =>
        Environment.TickCount64 < _endMs || inputCount < AskedCounts.Inputs;

    // Base and increments, with transactions, times, other databases and all types.
    private static SimulatedFileSystem Written(Random random)
    {
        var files = new SimulatedFileSystem();
        var clock = new ManualClock();
        using TestServer server = TestServer.On(files, clock, ("appendonly", "yes"), ("appendfsync", "no"),
            ("aof-timestamp-enabled", random.Next(2) == 0 ? "yes" : "no"));
        server.Engine.Loading.Prepare();
        server.Engine.Loading.Begin(static _ => { });
        TestClient client = server.Connect();
        for (int count = 0; count < 60; count++)
        {
            if (count == 25)
                client.Send("BGREWRITEAOF");
            if (random.Next(8) == 0)
                client.Send("SELECT", $"{random.Next(3)}");
            bool isTransaction = random.Next(6) == 0;
            if (isTransaction)
                client.Send("MULTI");
            for (int nested = isTransaction ? 2 : 1; nested > 0; nested--)
                client.Send(Command(random));
            if (isTransaction)
                client.Send("EXEC");
            clock.Advance(random.Next(300_000));
            server.Run();
            server.Engine.Data.Journal.Step();
        }

        server.Run();
        Assert.DoesNotContain(client.Take(), static reply => reply.Kind == '-');
        return files.AfterKill();
    }

    private static string[] Command(Random random)
    {
        string key = $"k{random.Next(12)}";
        string value = random.Next(10) == 0 ? new string('v', random.Next(2000)) : $"{random.Next(100)}";
        return random.Next(9) switch
        {
            0 => ["SET", key, value],
            1 => ["RPUSH", "l" + key, value, value],
            2 => ["SADD", "s" + key, value, "member"],
            3 => ["ZADD", "z" + key, $"{random.Next(9)}", value],
            4 => ["HSET", "h" + key, value, value],
            5 => ["XADD", "x" + key, "*", "f", value],
            6 => ["SET", key, value, "PX", "100000"],
            7 => ["SPOP", "s" + key],
            _ => ["DEL", key],
        };
    }

    private static SimulatedFileSystem Damaged(Random random, SimulatedFileSystem whole)
    {
        SimulatedFileSystem damaged = whole.AfterKill();
        string[] paths = [.. damaged.Paths.Where(static one => Path.GetDirectoryName(one) == s_directory)];
        string path = paths[random.Next(paths.Length)];
        if (random.Next(30) == 0)
            damaged.Delete(path);
        else
            damaged.Put(path, Damage.Of(random, damaged.Read(path)));
        return damaged;
    }

    private static string? Load(SimulatedFileSystem files, (string, string)[] options)
    {
        long inputBytes = files.UsedBytes;
        using TestServer server = TestServer.On(files, new ManualClock(),
            [("appendonly", "yes"), ("appendfsync", "no"), ("enable-debug-command", "yes"), .. options]);
        MemoryBound bound = MemoryBound.Begin(server.Engine.Keyspace.Pages);
        Exception? fault = server.Load();
        bound.AssertKept(inputBytes);
        Assert.True(fault is null or AofLoadException or AofManifestException, $"{fault}");
        return fault is null ? server.Connect().Run("DEBUG DIGEST") : null;
    }

    // The tool may judge otherwise than the loader, which executes commands; it ends and says something.
    private static void Check(SimulatedFileSystem files, Random random)
    {
        SimulatedFileSystem copy = files.AfterKill();
        string path = Path.Combine(s_directory, "appendonly.aof.manifest");
        if (!copy.Exists(path))
            return;
        var output = new StringWriter();
        using var pages = new PageSource(isChecked: true);
        MemoryBound bound = MemoryBound.Begin(pages);
        new AofCheck(copy, new AofCheckOptions
        {
            IsFixing = random.Next(2) == 0,
            Output = output,
            ReadAnswer = static () => "y",
            CheckSnapshot = static (_, _) => null,
        }).Run(path);
        bound.AssertKept(copy.UsedBytes);
        Assert.NotEmpty(output.ToString());
    }
}
