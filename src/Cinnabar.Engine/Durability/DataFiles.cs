using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Platform.Files;

namespace Cinnabar.Engine.Durability;

/// <summary>The files of a server's data, and what reads and writes them.</summary>
internal sealed class DataFiles(ConfigurationRegistry configuration, FileSystem files)
{
    private readonly ConfigurationRegistry _configuration = configuration;

    /// <summary>Where they are.</summary>
    public FileSystem Files { get; } = files;

    /// <summary>The directory of the data (<c>dir</c>).</summary>
    public string Directory => ConfigurationText.ToPath(_configuration.TextOf("dir"));
}
