using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>A small file of each version with all types, opcodes and deadlines that it knows, kept with the
/// digest of its data; and what damaging these files does. CINNABAR_WRITE_FILE_CORPUS names a file to write
/// them anew to. Open-ended with CINNABAR_TEST_SECONDS and
/// CINNABAR_INPUTS.</summary>
public sealed class FileCorpusTests
{
    private const int FuzzCount = 15;
    private const int TestPart = 20;
    private const int ValueBytesMax = 120;
    private const long DeadlineMs = 4_000_000_000_000;
    private const byte ValkeyHash = 22;
    private const string Library = "#!lua name=l\nredis.register_function('f', function() return 1 end)";

    // LZF expands a byte to 88 at most; slabs and tables are taken as a whole.
    private const long MemoryFactor = 128;
    private const long MemoryFixed = 4 << 20;

    private static readonly string s_snapshot = Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb");

    private readonly long _endMs = Environment.TickCount64 + (Seconds * 1000);

    private static string CorpusPath => Path.Combine(
        AppContext.BaseDirectory, "Persistence", "Rdb", "Corpus", "files.txt");

    private static long Seconds =>
        int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"),
            CultureInfo.InvariantCulture, out int seconds) ? seconds / TestPart : 0;

    private static int[] Versions => [.. Enumerable.Range(1, RdbVersion.RedisMax), RdbVersion.Valkey];

    [Fact]
    public void EveryFileHasItsDigest()
    {
        string[] lines = File.ReadAllLines(CorpusPath);
        Assert.Equal(Versions.Select(static version => $"{version}"),
            lines.Select(static line => line.Split(' ')[0]));
        foreach (string line in lines)
        {
            string[] parts = line.Split(' ');
            Assert.Equal((parts[0], parts[2]), (parts[0], Load(Convert.FromBase64String(parts[1]))));
        }
    }

    [Fact]
    public void TheCorpusIsWhatTheBuildersMake()
    {
        string[] lines = [.. Versions.Select(static version => (version, File: Build(version)))
            .Select(static one => $"{one.version} {Convert.ToBase64String(one.File)} {Load(one.File)}")];
        if (Environment.GetEnvironmentVariable("CINNABAR_WRITE_FILE_CORPUS") is { Length: > 0 } path)
            File.WriteAllLines(path, lines);
        Assert.Equal(File.ReadAllLines(CorpusPath), lines);
    }

    [Fact]
    public void DamagedFilesAreLoadedOrRefused() => Seeded.RunWhile(
        round => Environment.TickCount64 < _endMs
            || (long)round * Versions.Length * FuzzCount < AskedCounts.Inputs, seed =>
        {
            var random = new Random((int)seed);
            int refusedCount = 0;
            foreach (int version in Versions)
            {
                byte[] whole = Build(version);
                for (int count = 0; count < FuzzCount; count++)
                {
                    byte[] damaged = Damage.Of(random, whole);
                    // What the checksum would find is to be found without it.
                    refusedCount += Load(damaged, isChecked: random.Next(8) == 0) is null ? 1 : 0;
                }
            }

            Assert.InRange(refusedCount, Versions.Length, Versions.Length * FuzzCount);
        });

    // Null where it is refused.
    private static string? Load(byte[] file, bool isChecked = true)
    {
        var files = new SimulatedFileSystem();
        files.Put(s_snapshot, file);
        using TestServer server = TestServer.On(files, new ManualClock(), ("enable-debug-command", "yes"),
            ("rdbchecksum", isChecked ? "yes" : "no"));
        long before = server.Engine.Keyspace.UsedBytes;
        long managedBefore = GC.GetAllocatedBytesForCurrentThread();
        Exception? fault = server.Load();
        Assert.InRange(server.Engine.Keyspace.UsedBytes - before, long.MinValue,
            file.Length * MemoryFactor + MemoryFixed);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - managedBefore, 0,
            file.Length * MemoryFactor + MemoryFixed);
        Assert.True(fault is null or RdbFormatException, $"{fault}");
        return fault is null ? server.Connect().Call("DEBUG", "DIGEST").Text : null;
    }

    private static byte[] Build(int version)
    {
        bool isValkey = version == RdbVersion.Valkey;
        var file = new RdbFileBuilder(isValkey ? $"VALKEY{version:D3}" : $"REDIS{version:D4}");
        RdbType[] types = [.. Enum.GetValues<RdbType>().Where(type => Knows(version, type)).Order()];
        if (version >= 7)
        {
            file.Aux("redis-ver", "0.0.0").Aux("redis-bits", "64").Select(0)
                .Opcode(RdbOpcode.ResizeDatabase).Count(types.Length).Count(1);
        }
        else
        {
            file.Select(0);
        }

        AddSurroundings(file, version);
        foreach (RdbType type in types)
            AddKey(file, version, type);
        AddEncodedStrings(file);
        file.Select(11);
        if (version >= 9)
            file.Opcode(RdbOpcode.Idle).Count(10).String("idle", "1").Opcode(RdbOpcode.Frequency).Raw(5);
        file.String("last", "2");
        return version >= RdbVersion.ChecksumMin ? file.End() : file.Opcode(RdbOpcode.End).Bytes();
    }

    // What stands beside the keys, since the version that began it.
    private static void AddSurroundings(RdbFileBuilder file, int version)
    {
        if (version >= 9)
        {
            // An integer and a text of a module, to be skipped.
            file.Opcode(RdbOpcode.ModuleAux).Count(1).Count(2).Count(1).Count(2).Count(7).Count(5).Text("x")
                .Count(0);
        }

        if (version >= 10)
            file.Opcode(RdbOpcode.Function2).Text(Library);
        if (version is 12 or 13)
            file.Opcode(RdbOpcode.SlotInfo).Count(1).Count(2).Count(3);
        if (version == 13)
            file.Opcode(RdbOpcode.KeyMetadata).Count(1).Raw(1, 0, 0, 0).Count(5).Text("x").Count(0)
                .String("metadata", "1");
        if (version == RdbVersion.Valkey)
            file.Opcode(RdbOpcode.SlotImport).Text("job").Count(1).Count(0).Count(16383);
    }

    // Integers of one, two and four bytes, and a text that LZF has made of thirty bytes of one kind.
    private static void AddEncodedStrings(RdbFileBuilder file)
    {
        byte type = (byte)RdbType.String;
        file.Raw(type).Text("int8").Raw(0xC0, 0x85).Raw(type).Text("int16").Raw(0xC1, 0x00, 0x80)
            .Raw(type).Text("int32").Raw(0xC2, 0x00, 0x00, 0x00, 0x80)
            .Raw(type).Text("lzf").Raw(0xC3, 5, 30, 0, (byte)'a', 0xE0, 20, 0)
            .Raw(type).Text("long length").Raw(0x81).Raw(0, 0, 0, 0, 0, 0, 0, 1).Raw((byte)'b');
    }

    private static void AddKey(RdbFileBuilder file, int version, RdbType type)
    {
        if (type is RdbType.String or RdbType.Set && version >= 3)
            file.Expire(DeadlineMs);
        else if (type is RdbType.String or RdbType.Set)
            file.Opcode(RdbOpcode.ExpireTime).Raw(BitConverter.GetBytes(2_000_000_000));
        byte code = type == RdbType.ValkeyHash2 ? ValkeyHash : (byte)type;
        file.Raw(code).Text($"{type}").Raw(Value(type));
    }

    private static byte[] Value(RdbType type)
    {
        for (int seed = 0; ; seed++)
        {
            byte[] value = type is RdbType.StreamListpacks or RdbType.StreamListpacks2
                or RdbType.StreamListpacks3 or RdbType.StreamListpacks4
                    ? new RandomStream(new Random(seed), type).ToArray()
                    : new RandomValue(new Random(seed), type).ToArray();
            if (value.Length <= ValueBytesMax)
                return value;
        }
    }

    private static bool Knows(int version, RdbType type) => type switch
    {
        RdbType.Module2 or RdbType.ModulePreGa => false,
        RdbType.ValkeyHash2 => version == RdbVersion.Valkey,
        RdbType.HashMetadataPreGa or RdbType.HashListpackExPreGa or RdbType.HashMetadata
            or RdbType.HashListpackEx => version is 12 or 13,
        RdbType.StreamListpacks4 => version == 13,
        _ => version >= FirstVersion(type),
    };

    private static int FirstVersion(RdbType type) => type switch
    {
        RdbType.HashZipmap or RdbType.ListZiplist or RdbType.SetIntset or RdbType.SortedSetZiplist => 2,
        RdbType.HashZiplist => 4,
        RdbType.ListQuicklist => 6,
        RdbType.SortedSet2 => 8,
        RdbType.StreamListpacks => 9,
        RdbType.HashListpack or RdbType.SortedSetListpack or RdbType.ListQuicklist2
            or RdbType.StreamListpacks2 => 10,
        RdbType.SetListpack or RdbType.StreamListpacks3 => 11,
        _ => 1,
    };
}
