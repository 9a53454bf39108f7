namespace Cinnabar.Engine.Durability;

/// <summary>How payloads are read.</summary>
internal sealed class ReadOptions(IDataServer server)
{
    private readonly IDataServer _server = server;

    /// <summary>Whether payloads of unknown versions are read, too (<c>rdb-version-check</c>).</summary>
    public bool IsVersionRelaxed => _server.Configuration.TextOf("rdb-version-check") == "relaxed";

    /// <summary>Whether versions and checksums of payloads are ignored (DEBUG
    /// SET-SKIP-CHECKSUM-VALIDATION).</summary>
    public bool IsUnchecked { get; set; }
}
