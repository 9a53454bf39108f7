using System.IO;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Journaling;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>The files of a server's data, and what reads and writes them.</summary>
internal sealed class DataFiles : IDisposable
{
    private readonly IDataServer _server;

    /// <param name="server">The server.</param>
    /// <param name="files">Where they are.</param>
    public DataFiles(IDataServer server, FileSystem files)
    {
        _server = server;
        Files = files;
        Writing = new WriteOptions(server);
        RdbFiles = new RdbFileSettings(server, Writing);
        Loading = new DataLoading(server, this);
        Reading = new ReadOptions(server);
        DiskErrors = new DiskErrors(server.Gates);
        Snapshots = new Snapshots(server);
        Saves = new RdbSaves(server, this);
        Ending = new ServerEnding(server, this);
        AppendOnly = new AppendOnlyFile(server, this);
        SynchronisationFiles = new SynchronisationFiles(server, this);
    }

    /// <summary>Gets the journal, before the loops are made.</summary>
    public void Attach(ServerJournal journal)
    {
        Journal = journal;
        Rewrites = new JournalRewrites(_server, this);
        AppendOnlySwitch = new AppendOnlySwitch(_server, this);
    }

    /// <summary>Where they are.</summary>
    public FileSystem Files { get; }

    /// <summary>The append-only file.</summary>
    public AppendOnlyFile AppendOnly { get; }

    /// <summary>The journal, on or off.</summary>
    public ServerJournal Journal { get; private set; } = null!;

    /// <summary>The rewrites of the append-only file.</summary>
    public JournalRewrites Rewrites { get; private set; } = null!;

    /// <summary>Switches the append-only file on and off.</summary>
    public AppendOnlySwitch AppendOnlySwitch { get; private set; } = null!;

    /// <summary>How payloads are read.</summary>
    public ReadOptions Reading { get; }

    /// <summary>How values are written.</summary>
    public WriteOptions Writing { get; }

    /// <summary>What the configuration says of RDB files.</summary>
    public RdbFileSettings RdbFiles { get; }

    /// <summary>Loads them.</summary>
    public DataLoading Loading { get; }

    /// <summary>Connections to other servers, for MIGRATE.</summary>
    public MigrateLinks Migrations { get; } = new();

    /// <summary>Refuses writes that cannot be saved.</summary>
    public DiskErrors DiskErrors { get; }

    /// <summary>The snapshots.</summary>
    public Snapshots Snapshots { get; }

    /// <summary>The saves of the RDB file.</summary>
    public RdbSaves Saves { get; }

    /// <summary>Removes RDB files that only a synchronisation needed.</summary>
    public SynchronisationFiles SynchronisationFiles { get; }

    /// <summary>Saves for the last time.</summary>
    public ServerEnding Ending { get; }

    /// <summary>The directory of the data (<c>dir</c>).</summary>
    public string Directory => ConfigurationText.ToPath(_server.Configuration.TextOf("dir"));

    /// <summary>The file of the snapshot (<c>dbfilename</c>); of several, the newest.</summary>
    public string SnapshotPath
    {
        get
        {
            string pattern = ConfigurationText.ToPath(_server.Configuration.TextOf("dbfilename"));
            if (!RdbFileName.IsPattern(pattern) || !Files.DirectoryExists(Directory))
                return Path.Combine(Directory, pattern);
            List<string> names = RdbFileName.Matching(pattern, Files.FilesIn(Directory));
            return Path.Combine(Directory, names.Count > 0 ? names[^1] : pattern);
        }
    }

    /// <summary>Ends what is under way; the loops have ended.</summary>
    public void Dispose()
    {
        Migrations.Dispose();
        Journal.Dispose();
        Snapshots.Dispose();
    }
}
