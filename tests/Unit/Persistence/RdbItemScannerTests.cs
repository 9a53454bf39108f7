using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using Cinnabar.Keyspace;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Loading;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>Cutting files into blocks of whole items.</summary>
public sealed class RdbItemScannerTests : IDisposable
{
    private const ulong ModuleId = 0x1234_5678_9ABC_DC01;
    private readonly Cinnabar.Keyspace.Keyspace _keyspace = new(new KeyspaceOptions
    {
        Clock = new ManualClock(),
        DatabaseCount = 16,
        LoopCount = 1,
        StripeCount = 1,
        IsChecked = true,
        Limits = new CollectionLimits(),
        Seed = new HashSeed(1, 2),
    });

    private readonly LoadRecorder _recorder = new();

    public void Dispose() => _keyspace.Dispose();

    /// <summary>However large the blocks are, and however little a read gives, the entries are the
    /// same.</summary>
    [Theory]
    [InlineData(16, int.MaxValue)]
    [InlineData(64, 7)]
    [InlineData(100_000, int.MaxValue)]
    [InlineData(100_000, 1)]
    public void EveryBlockSizeGivesTheSameEntries(int blockSize, int readBytesMax)
    {
        byte[] file = Sample();
        RdbReadOptions options = new() { NowMs = 0, BlockSize = blockSize };
        List<string> entries = Scan(file, options, readBytesMax);
        string[] expected =
        [
            "0 a String -1", "0 list List 77", "9 set Set 5000", "9 hash Hash -1",
            $"9 {new string('k', 300)} String -1",
        ];
        Assert.Equal(expected, entries);
        Assert.Equal(["redis-ver=7.0.15", "function code", "checksum"], _recorder.Lines);
    }

    /// <summary>A file that ends early is refused at every length, at the offset where it ends.</summary>
    [Fact]
    public void EveryTruncationIsRefused()
    {
        byte[] file = Sample();
        for (int length = 0; length < file.Length; length++)
        {
            RdbEndException fault = Assert.Throws<RdbEndException>(() => Scan(file[..length]));
            Assert.InRange(fault.Offset, 0, length);
        }
    }

    /// <summary>A byte that is changed is refused, by the format or by the checksum.</summary>
    [Fact]
    public void EveryChangedByteIsRefused()
    {
        byte[] file = Sample();
        for (int index = 0; index < file.Length; index++)
        {
            byte[] changed = [.. file];
            changed[index] ^= 0x10;
            Assert.ThrowsAny<RdbFormatException>(() => Scan(changed));
        }
    }

    /// <summary>The opcode 243 is a key's metadata for Redis and an import of slots for Valkey.</summary>
    [Fact]
    public void TheDialectSaysWhatOpcode243Is()
    {
        RdbFileBuilder redis = new("REDIS0013");
        redis.Opcode(RdbOpcode.KeyMetadata).Count(1).Raw(1, 0, 0, 0).Count(5).Text("x").Count(0);
        Assert.Equal(["0 a String -1"], Scan(redis.String("a", "1").End()));
        RdbFileBuilder valkey = new("VALKEY080");
        valkey.Opcode(RdbOpcode.SlotImport).Text("job").Count(1).Count(0).Count(16383);
        Assert.Equal(["0 a String -1"], Scan(valkey.String("a", "1").End()));
    }

    /// <summary>Metadata that may not be ignored names its class and its key.</summary>
    [Fact]
    public void MetadataThatIsNeededIsRefused()
    {
        RdbFileBuilder file = new("REDIS0013");
        // 24 bits of name: BLES.
        uint name = ((((1u << 6 | 11) << 6) | 4) << 6) | 18;
        file.Opcode(RdbOpcode.KeyMetadata).Count(1).Raw(BitConverter.GetBytes(name << 8))
            .Count(2).Count(3).Count(0).String("key", "1");
        byte[] bytes = file.End();
        string message = Assert.Throws<RdbFormatException>(() => Scan(bytes)).Message;
        Assert.Contains("Class 'BLES' not registered", message, StringComparison.Ordinal);
        Assert.Contains("'key'", message, StringComparison.Ordinal);
        Assert.Equal(["0 key String -1"],
            Scan(bytes, new RdbReadOptions { NowMs = 0, SkipsModuleKeys = true }));
        Assert.Contains("module key key BLES", _recorder.Lines);
    }

    /// <summary>A module's key is refused by its name and type, or left out.</summary>
    [Fact]
    public void ModuleKeysAreRefusedOrSkipped()
    {
        byte[] file = new RdbFileBuilder().Select(3).Module("m", ModuleId, new string('t', 100))
            .String("a", "1").End();
        string message = Assert.Throws<RdbFormatException>(() => Scan(file)).Message;
        string type = new RdbModuleId(ModuleId).Name;
        Assert.Equal($"The RDB file contains module data I can't load: no matching module type '{type}', "
            + "key 'm' in DB 3", message);
        RdbReadOptions skipping = new() { NowMs = 0, SkipsModuleKeys = true, BlockSize = 16 };
        Assert.Equal(["3 a String -1"], Scan(file, skipping));
        Assert.Equal([$"module key m {type}", "checksum"], _recorder.Lines);
    }

    /// <summary>Which headers are read, and what is said of the others.</summary>
    [Theory]
    [InlineData("REDIS0001", false, null)]
    [InlineData("REDIS0013", false, null)]
    [InlineData("VALKEY080", false, null)]
    [InlineData("REDIS0014", false, "Can't handle RDB format version 14")]
    [InlineData("REDIS0014", true, null)]
    [InlineData("VALKEY081", false, "Can't handle RDB format version 81")]
    [InlineData("VALKEY081", true, null)]
    [InlineData("REDIS0000", true, "Can't handle RDB format version 0")]
    [InlineData("REDIS0099", false, "Can't handle RDB format version 99")]
    [InlineData("XEDIS0009", true, "Wrong signature trying to load DB from file")]
    [InlineData("REDIS00a9", true, "Wrong signature trying to load DB from file")]
    public void VersionsAreCheckedAsConfigured(string magic, bool isRelaxed, string? error)
    {
        byte[] file = new RdbFileBuilder(magic).String("a", "1").End();
        RdbReadOptions options = new() { NowMs = 0, IsVersionRelaxed = isRelaxed };
        if (error is null)
            Assert.Equal(["0 a String -1"], Scan(file, options));
        else
            Assert.Equal(error, Assert.Throws<RdbHeaderException>(() => Scan(file, options)).Message);
    }

    /// <summary>A checksum of zero says that none was written; before version 5 there is none.</summary>
    [Fact]
    public void AFileMayHaveNoChecksum()
    {
        Assert.Single(Scan(new RdbFileBuilder().String("a", "1").End(hasChecksum: false)));
        Assert.Equal(["no checksum"], _recorder.Lines);
        Assert.Single(Scan(new RdbFileBuilder("REDIS0004").String("a", "1").Opcode(RdbOpcode.End).Bytes()));
    }

    /// <summary>A length beyond the end of the file is refused without memory for it.</summary>
    [Fact]
    public void AHugeLengthIsRefusedAtOnce()
    {
        byte[] file = new RdbFileBuilder().Raw((byte)RdbType.String).Text("a")
            .Raw(0x80, 0x7f, 0, 0, 0).Raw(new byte[100]).Bytes();
        Assert.Throws<RdbEndException>(() => Scan(file));
        Assert.Throws<RdbFormatException>(() => Scan(new RdbFileBuilder().Select(16).End()));
    }

    private static byte[] Sample() => new RdbFileBuilder()
        .Aux("redis-ver", "7.0.15").Opcode(RdbOpcode.Function2).Text("code")
        .Select(0).Opcode(RdbOpcode.ResizeDatabase).Count(2).Count(1)
        .String("a", "1").Expire(77).Collection(RdbType.List, "list", "1", "2", "3")
        .Select(9).Opcode(RdbOpcode.ExpireTime).Raw(5, 0, 0, 0).Opcode(RdbOpcode.Idle).Count(70)
        .Collection(RdbType.Set, "set", "x")
        .Opcode(RdbOpcode.Frequency).Raw(9)
        .Collection(RdbType.Hash, "hash", "f", "v", "g", new string('w', 99))
        .Opcode(RdbOpcode.SlotInfo).Count(1).Count(2).Count(3)
        .String(new string('k', 300), "1").End();

    private List<string> Scan(byte[] bytes, RdbReadOptions? options = null, int readBytesMax = int.MaxValue)
    {
        using var file = new MemoryFile(bytes, readBytesMax);
        options ??= new RdbReadOptions { NowMs = 0, BlockSize = 32 };
        var load = new RdbLoad(file, _keyspace, options, _recorder, CancellationToken.None);
        var scanner = new RdbItemScanner(file, options, new RdbKeyCollector(load));
        List<string> entries = [];
        using var block = new RdbBlock(16);
        scanner.ReadHeader();
        while (!scanner.IsAtEnd)
        {
            scanner.Fill(block);
            foreach (RdbLoadEntry entry in block.Entries)
                entries.Add(Describe(block, entry));
        }

        int tail = scanner.Version.Number < RdbVersion.ChecksumMin ? bytes.Length - (int)scanner.Offset : 0;
        Assert.Equal(bytes.Length, scanner.Offset + tail);
        return entries;
    }

    private static string Describe(RdbBlock block, in RdbLoadEntry entry)
    {
        var cursor = new RdbCursor(block.Bytes) { Position = entry.NamePosition };
        RdbString name = cursor.ReadString();
        var key = new byte[name.Length];
        name.CopyTo(key);
        string text = Encoding.Latin1.GetString(key);
        return $"{entry.Database} {text} {entry.Type} {entry.DeadlineMs}";
    }
}
