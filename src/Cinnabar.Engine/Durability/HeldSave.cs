using System.IO;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb.Writing;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>Writes the snapshot's file for an execution that holds all stripes: directly, since nothing can
/// change meanwhile.</summary>
/// <param name="server">The server.</param>
/// <param name="data">Its files.</param>
internal sealed class HeldSave(IDataServer server, DataFiles data)
{
    private readonly IDataServer _server = server;
    private readonly DataFiles _data = data;

    /// <summary>Writes the file in place of the one that is there.</summary>
    /// <param name="access">The view of the execution.</param>
    /// <exception cref="IOException">It cannot be written.</exception>
    /// <exception cref="RdbInexpressibleException">The configured version has no form for a
    /// value.</exception>
    public void Save(KeyspaceAccess access)
    {
        if (_data.Loading.RefusalToReplace(_data.SnapshotPath) is { } refusal)
            throw new IOException(refusal);
        string temporary = Path.Combine(_data.Directory, $"temp-{Environment.ProcessId}-held.rdb");
        try
        {
            if (!TryWrite(access, temporary, hasProducers: false))
                TryWrite(access, temporary, hasProducers: true);
            _data.Files.Rename(temporary, _data.SnapshotPath);
            _data.Files.FlushDirectory(_data.Directory);
        }
        catch
        {
            _data.Files.Delete(temporary);
            throw;
        }
    }

    // False: there are idempotent producers, which the file's first bytes must say.
    private bool TryWrite(KeyspaceAccess access, string path, bool hasProducers)
    {
        RdbFileOptions options = _data.Writing.ForFile(access.NowMs, hasProducers);
        using StoredFile file = _data.Files.Open(path, FileUse.Create);
        using var writer = new RdbFileWriter(file, in options);
        if (options.Compatibility >= RdbCompatibility.Redis70)
        {
            foreach (byte[] code in _data.Loading.Functions)
                writer.WriteFunction(code);
        }

        int selected = access.Database;
        try
        {
            for (int database = 0; database < _server.Keyspace.DatabaseCount; database++)
            {
                if (_server.Keyspace.Count(database) == 0)
                    continue;
                access.Database = database;
                writer.SelectDatabase(database);
                writer.WriteSizes(_server.Keyspace.Count(database), _server.Keyspace.VolatileCount(database));
                var visitor = new Visitor(writer);
                KeyScan.Visit(access, 0, 0, ref visitor);
            }
        }
        catch (RdbInexpressibleException) when (writer.HasMetProducers && !hasProducers)
        {
            return false;
        }
        finally
        {
            access.Database = selected;
        }

        writer.Finish();
        file.Flush();
        return true;
    }

    private readonly struct Visitor(RdbFileWriter writer) : IKeyVisitor
    {
        public void Visit(EntryView entry) => writer.WriteEntry(entry);
    }
}
