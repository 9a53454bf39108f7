using System.IO;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Persistence.Snapshots;

namespace Cinnabar.Engine.Durability;

/// <summary>Writes the snapshot's file for an execution that holds all stripes: directly, since nothing can
/// change meanwhile.</summary>
/// <param name="server">The server.</param>
/// <param name="data">Its files.</param>
internal sealed class HeldSave(IDataServer server, DataFiles data)
{
    private readonly IDataServer _server = server;
    private readonly DataFiles _data = data;

    /// <summary>The names for it: a save of another kind may be under way.</summary>
    public static RdbFilePlace Place(RdbFilePlace place) => place with
    {
        TemporaryName = $"temp-{Environment.ProcessId}-held.rdb",
    };

    /// <summary>Writes the file in place of the one that is there.</summary>
    /// <param name="access">The view of the execution.</param>
    /// <param name="place">Its names.</param>
    /// <exception cref="IOException">It cannot be written.</exception>
    /// <exception cref="RdbInexpressibleException">The configured version has no form for a
    /// value.</exception>
    public void Save(KeyspaceAccess access, RdbFilePlace place)
    {
        var file = new RdbFileSnapshot(new PlacedFile(_data.Files, place),
            _data.Writing.ForFile(access.NowMs), _data.RdbFiles.Notes())
        {
            Functions = _server.Libraries.Current.Stored,
        };
        SnapshotDatabase[] databases = Databases();
        // A key past its deadline is there until its end is recorded, so it is saved.
        var all = new KeyspaceAccess(_server.Keyspace, access.Statistics) { SeesExpired = true };
        try
        {
            file.Begin(databases);
            foreach (SnapshotDatabase database in databases)
            {
                all.Begin(database.Number, access.NowMs);
                var visitor = new Visitor(file, database.Number);
                KeyScan.Visit(all, 0, 0, ref visitor);
            }

            file.End();
        }
        finally
        {
            file.Discard();
        }
    }

    private SnapshotDatabase[] Databases()
    {
        List<SnapshotDatabase> databases = [];
        for (int number = 0; number < _server.Keyspace.DatabaseCount; number++)
        {
            long keyCount = _server.Keyspace.Count(number);
            if (keyCount > 0)
                databases.Add(new(number, keyCount, _server.Keyspace.VolatileCount(number)));
        }

        return [.. databases];
    }

    private readonly struct Visitor(RdbFileSnapshot file, int database) : IKeyVisitor
    {
        public void Visit(EntryView entry) => file.Write(database, entry);
    }
}
