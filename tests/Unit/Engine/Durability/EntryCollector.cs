using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Persistence.Snapshots;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Keeps all keys of a snapshot, or of a key space, with their values as RDB bytes.</summary>
internal sealed class EntryCollector : ISnapshotConsumer, IDisposable
{
    private readonly RdbOutput _output = new(sink: null, isCompressed: false, isChecked: false);

    /// <summary>What was collected: "database key" to deadline, type and bytes.</summary>
    public Dictionary<string, string> Entries { get; } = [];

    public bool HasEnded { get; private set; }

    public bool IsDiscarded { get; private set; }

    public void Begin(ReadOnlySpan<SnapshotDatabase> databases)
    {
    }

    public void Write(int database, EntryView entry)
    {
        RdbType type = RdbValueWriter.TypeOf(entry, RdbCompatibility.Redis74);
        _output.Clear();
        RdbValueWriter.Write(_output, entry, type);
        Entries.Add($"{database} {Encoding.Latin1.GetString(entry.Key)}",
            $"{entry.DeadlineMs} {type} {Convert.ToHexString(_output.Written)}");
    }

    public void End() => HasEnded = true;

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

    public void Dispose() => _output.Dispose();

    private struct Visitor : IKeyVisitor
    {
        public EntryCollector Collector;
        public int Database;

        public readonly void Visit(EntryView entry) => Collector.Write(Database, entry);
    }
}
