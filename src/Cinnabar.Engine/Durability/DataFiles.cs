using System.IO;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Journaling;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>The files of a server's data, and what reads and writes them.</summary>
internal sealed class DataFiles
{
    private readonly IDataServer _server;

    /// <param name="server">The server.</param>
    /// <param name="files">Where they are.</param>
    public DataFiles(IDataServer server, FileSystem files)
    {
        _server = server;
        Files = files;
        Writing = new WriteOptions(server);
        Loading = new DataLoading(server, this);
        Reading = new ReadOptions(server);
    }

    /// <summary>Where they are.</summary>
    public FileSystem Files { get; }

    /// <summary>The journal, on or off.</summary>
    public ServerJournal Journal { get; set; } = null!;

    /// <summary>How payloads are read.</summary>
    public ReadOptions Reading { get; }

    /// <summary>How values are written.</summary>
    public WriteOptions Writing { get; }

    /// <summary>Loads them.</summary>
    public DataLoading Loading { get; }

    /// <summary>Connections to other servers, for MIGRATE.</summary>
    public MigrateLinks Migrations { get; } = new();

    /// <summary>The directory of the data (<c>dir</c>).</summary>
    public string Directory => ConfigurationText.ToPath(_server.Configuration.TextOf("dir"));

    /// <summary>The file of the snapshot (<c>dbfilename</c>).</summary>
    public string SnapshotPath =>
        Path.Combine(Directory, ConfigurationText.ToPath(_server.Configuration.TextOf("dbfilename")));
}
