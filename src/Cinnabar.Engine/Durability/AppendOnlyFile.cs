// The append-only file of a server, from its start on.
//
//   start      Find ─► Load (the base, then the increments) ─► Open: the last increment goes on
//   at run     CONFIG SET appendonly yes: JournalRewrites makes the first base; no: Close
//
// An append-only file that is not there is no fault: the server starts empty, whatever RDB file there is, as
// Redis does.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Journaling;
using Cinnabar.Engine.Logging;
using Cinnabar.Keyspace.Snapshots;
using Cinnabar.Persistence.Journal;
using Cinnabar.Persistence.Journal.Loading;
using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>Loads and opens the append-only file.</summary>
internal sealed class AppendOnlyFile
{
    private readonly IDataServer _server;
    private readonly DataFiles _data;

    /// <param name="server">The server.</param>
    /// <param name="data">Its files.</param>
    public AppendOnlyFile(IDataServer server, DataFiles data)
    {
        (_server, _data) = (server, data);
        IsWanted = server.Configuration.NumberOf("appendonly") != 0;
    }

    /// <summary>Whether the server is to have one (<c>appendonly</c>).</summary>
    public bool IsWanted { get; set; }

    /// <summary>Bytes of all files when it was last opened or rewritten.</summary>
    public long StartBytes { get; private set; }

    /// <summary>Bytes of the base then: what automatic rewrites compare with.</summary>
    public long BaseBytes { get; private set; }

    /// <summary>Bytes of all files now.</summary>
    public long CurrentBytes => StartBytes + (_data.Journal.Writer?.BytesWritten ?? 0) - _writtenAtStart;

    private long _writtenAtStart;

    private ServerJournal Journal => _data.Journal;

    /// <summary>Where its files are. While it is on they stay there, whatever becomes of
    /// <c>dir</c>.</summary>
    public AofDirectory Directory => Journal is { IsOn: true, Files: { } files } ? files.Directory
        : new AofDirectory(_data.Files, _data.Directory,
        ConfigurationText.ToPath(_server.Configuration.TextOf("appenddirname")),
        ConfigurationText.ToPath(_server.Configuration.TextOf("appendfilename")));

    /// <summary>Reads the manifest, and moves an older server's single file where it belongs.</summary>
    /// <returns>The manifest, empty where there are no files; and whether its base is the single
    /// file.</returns>
    /// <exception cref="AofManifestException">The manifest cannot be read.</exception>
    public (AofManifest Manifest, bool IsOldStyle) Find()
    {
        AofDirectory directory = Directory;
        AofManifest? manifest = directory.Load();
        if (directory.NeedsUpgrade(manifest))
        {
            manifest = directory.Upgrade();
            _server.Log.Write(LogLevel.Notice, $"Successfully migrated an old-style AOF configuration "
                + $"({directory.FileName}) into the AOF directory ({directory.Name}).");
        }

        bool isOldStyle = manifest?.Base?.Name == directory.FileName;
        return (manifest ?? AofManifest.Empty, isOldStyle);
    }

    /// <summary>Loads it.</summary>
    /// <param name="manifest">What there is.</param>
    /// <param name="isOldStyle">Whether the base is the single file of an older server.</param>
    /// <param name="target">What it is loaded into.</param>
    /// <exception cref="AofLoadException">It cannot be loaded.</exception>
    public void Load(AofManifest manifest, bool isOldStyle, IAofLoadTarget target)
    {
        var options = new AofLoadOptions
        {
            CutsTruncated = _server.Configuration.NumberOf("aof-load-truncated") != 0,
            CorruptTailBytesMax = _server.Configuration.NumberOf("aof-load-corrupt-tail-max-size"),
        };
        new AofLoader(Directory, options, target, _server.Clock).Load(manifest, isOldStyle);
    }

    /// <summary>Appends to it from now on; no loop has executed a command that writes.</summary>
    /// <param name="manifest">What has been loaded.</param>
    /// <exception cref="System.IO.IOException">It fails.</exception>
    public void Open(AofManifest manifest)
    {
        var files = new AofFiles(Directory, Journal, _server.Clock);
        files.Adopt(manifest);
        if (manifest == AofManifest.Empty)
            AddEmptyBase(files);
        NoteSizes(files);
        if (_server.Configuration.NumberOf("aof-disable-auto-gc") == 0)
            files.DeleteHistory();
        Journal.Begin(files, files.OpenAtStart(), _server.HasThreads);
    }

    // A new append-only file begins with a base, as in Redis: its version tells other servers what they read.
    private void AddEmptyBase(AofFiles files)
    {
        int id = Environment.ProcessId;
        var place = new RdbFilePlace(_data.Directory, $"temp-{id}.aof", $"temp-base-{id}.aof");
        var bases = new AppendOnlyBase(_server, _data);
        bool isSnapshot = bases.IsSnapshot;
        ISnapshotConsumer file = bases.Make(place, isSnapshot, CancellationToken.None);
        file.Begin(default(ReadOnlySpan<SnapshotDatabase>));
        file.End();
        files.AdoptBase(place.Path, isSnapshot, hasIncrement: false);
        _server.Log.Write(
            LogLevel.Notice, $"Creating AOF base file {files.Manifest.Base!.Name} on server start");
    }

    /// <summary>The files of one that is not open.</summary>
    /// <exception cref="AofManifestException">The manifest cannot be read.</exception>
    public AofFiles MakeFiles()
    {
        var files = new AofFiles(Directory, Journal, _server.Clock);
        files.Adopt(Find().Manifest);
        return files;
    }

    /// <summary>Switches off: what was recorded is written and made durable. The caller holds all
    /// stripes.</summary>
    public void Close()
    {
        if (Journal.End() is { } error)
            _server.Log.Write(
                LogLevel.Warning, $"The append-only file could not be closed properly: {error}");
    }

    /// <summary>Notes how large the files are, after a rewrite and at the start.</summary>
    public void NoteSizes(AofFiles files)
    {
        StartBytes = files.LoadedBytes;
        BaseBytes = files.BaseBytes;
        _writtenAtStart = Journal.Writer?.BytesWritten ?? 0;
    }
}
