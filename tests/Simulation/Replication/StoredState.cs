using System.Collections.Generic;
using System.IO;
using Cinnabar.Engine;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform.Files;
using Cinnabar.Tests.Support.Files;

namespace Cinnabar.Tests.Simulation.Replication;

/// <summary>All data of a server as an RDB file that no snapshot has made: a scan writes it at once, under
/// all stripes.</summary>
internal sealed class StoredState : ISnapshotTarget
{
    private const string Path = "/state";

    private readonly SimulatedFileSystem _files = new();

    private StoredState()
    {
    }

    /// <summary>The file of what a server has now. The caller holds all stripes.</summary>
    public static byte[] Of(ServerEngine engine)
    {
        var state = new StoredState();
        var file = new RdbFileSnapshot(state, engine.Data.RdbFiles.Options(default), notes: [])
        {
            Functions = engine.FunctionMachines.Libraries.Current.Stored,
        };
        file.Begin([]);
        var access = new KeyspaceAccess(engine.Keyspace, new KeyspaceStatistics()) { SeesExpired = true };
        for (int database = 0; database < engine.Keyspace.DatabaseCount; database++)
        {
            access.Begin(database, nowMs: 0);
            var visitor = new Visitor { File = file, Database = database };
            KeyScan.Visit(access, cursor: 0, end: 0, ref visitor);
        }

        file.End();
        return state._files.Read(Path);
    }

    /// <inheritdoc/>
    public StoredFile Create() => _files.Open(Path, FileUse.Create);

    /// <inheritdoc/>
    public void Commit()
    {
        // It has its name already.
    }

    /// <inheritdoc/>
    public void Discard() => throw new IOException("nothing is to fail here");

    private struct Visitor : IKeyVisitor
    {
        public RdbFileSnapshot File;
        public int Database;

        public readonly void Visit(EntryView entry) => File.Write(Database, entry);
    }
}
