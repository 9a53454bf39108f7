using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Persistence.Rdb.Loading;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform.Files;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Files;

namespace Cinnabar.Tests.Simulation.Snapshots;

/// <summary>The keys of an RDB file with the bytes of their values, as <see cref="EntryCollector"/> has
/// them.</summary>
internal sealed class RdbFileEntries : IRdbItemSink
{
    private const string Path = "/file";

    private readonly Dictionary<string, string> _entries = [];
    private int _database;

    /// <summary>Reads a file: each key may be in it once.</summary>
    public static Dictionary<string, string> Of(byte[] bytes)
    {
        var files = new SimulatedFileSystem();
        files.Put(Path, bytes);
        using StoredFile file = files.Open(Path, FileUse.Read);
        using var block = new RdbBlock(bytes.Length + 1);
        var options = new RdbReadOptions { NowMs = 0, BlockSize = bytes.Length + 1 };
        var entries = new RdbFileEntries();
        var scanner = new RdbItemScanner(file, options, entries);
        scanner.ReadHeader();
        while (!scanner.IsAtEnd)
            scanner.Fill(block);
        return entries._entries;
    }

    public bool Take(
        ref RdbCursor cursor, scoped in RdbItem item, scoped in RdbPrelude prelude, RdbBlock block)
    {
        if (item.Kind == RdbItemKind.SelectDatabase)
            _database = (int)item.Number;
        if (item.Kind != RdbItemKind.Key)
            return false;
        RdbString name = cursor.ReadString();
        var key = new byte[name.Length];
        name.CopyTo(key);
        int start = cursor.Position;
        RdbValueSkipper.Skip(ref cursor, item.Type);
        _entries.Add($"{_database} {Encoding.Latin1.GetString(key)}", EntryCollector.TextOf(
            prelude.DeadlineMs, item.Type, block.Bytes[start..cursor.Position]));
        return false;
    }

    public void ChecksumRead(ulong stored, ulong computed)
    {
    }
}
