using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>Keeps all keys of a snapshot, or of a key space, with their values as RDB bytes.</summary>
public sealed class EntryCollector : ISnapshotConsumer, IDisposable
{
    private const int ShownBytesMax = 100;

    private readonly RdbOutput _output = new(sink: null, isCompressed: false, isChecked: false);

    /// <summary>What was collected: "database key" to deadline, type and bytes.</summary>
    public Dictionary<string, string> Entries { get; } = [];

    /// <summary>Whether it has got all.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Whether it was given up.</summary>
    public bool IsDiscarded { get; private set; }

    /// <inheritdoc/>
    public void Begin(ReadOnlySpan<SnapshotDatabase> databases)
    {
    }

    /// <inheritdoc/>
    public void Write(int database, EntryView entry)
    {
        RdbType type = RdbValueWriter.TypeOf(entry, RdbCompatibility.Redis74);
        _output.Clear();
        RdbValueWriter.Write(_output, entry, type);
        Entries.Add($"{database} {Encoding.Latin1.GetString(entry.Key)}",
            TextOf(entry.DeadlineMs, type, _output.Written));
    }

    /// <summary>How an entry is kept.</summary>
    /// <param name="deadlineMs">Its deadline; -1: none.</param>
    /// <param name="type">The form of its value.</param>
    /// <param name="value">The value in this form.</param>
    public static string TextOf(long deadlineMs, RdbType type, ReadOnlySpan<byte> value) =>
        value.Length <= ShownBytesMax
            ? $"{deadlineMs} {type} {Convert.ToHexString(value)}"
            : $"{deadlineMs} {type} {value.Length} bytes, CRC {Crc64.Append(0, value):x}";

    /// <summary>Says what differs.</summary>
    /// <exception cref="InvalidDataException">Something does.</exception>
    public static void Compare(Dictionary<string, string> expected, Dictionary<string, string> actual)
    {
        foreach ((string key, string value) in expected)
        {
            if (!actual.TryGetValue(key, out string? saved))
                throw new InvalidDataException($"{key} is missing");
            if (saved != value)
                throw new InvalidDataException($"{key} was {value} and was saved as {saved}");
        }

        if (actual.Keys.FirstOrDefault(key => !expected.ContainsKey(key)) is { } other)
            throw new InvalidDataException($"{other} was not there and was saved");
    }

    /// <inheritdoc/>
    public void End() => HasEnded = true;

    /// <inheritdoc/>
    public void Discard() => IsDiscarded = true;

    /// <summary>Collects what a key space has now, those past their deadline included; nothing else uses
    /// it.</summary>
    public void CollectAll(Cinnabar.Keyspace.Keyspace keyspace)
    {
        var access = new KeyspaceAccess(keyspace, new KeyspaceStatistics()) { SeesExpired = true };
        for (int database = 0; database < keyspace.DatabaseCount; database++)
        {
            access.Begin(database, nowMs: 0);
            var visitor = new Visitor { Collector = this, Database = database };
            KeyScan.Visit(access, cursor: 0, end: 0, ref visitor);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _output.Dispose();

    private struct Visitor : IKeyVisitor
    {
        public EntryCollector Collector;
        public int Database;

        public readonly void Visit(EntryView entry) => Collector.Write(Database, entry);
    }
}
