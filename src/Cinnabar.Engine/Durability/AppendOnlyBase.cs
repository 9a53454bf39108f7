using Cinnabar.Persistence.Snapshots;

namespace Cinnabar.Engine.Durability;

/// <summary>Writes bases of the append-only file: as snapshots, or as commands
/// (<c>aof-use-rdb-preamble</c>).</summary>
/// <param name="server">The server.</param>
/// <param name="data">Its files.</param>
internal sealed class AppendOnlyBase(IDataServer server, DataFiles data)
{
    private readonly IDataServer _server = server;
    private readonly DataFiles _data = data;
    private readonly RdbFileSettings _settings = data.RdbFiles;

    /// <summary>Whether a base that begins now is a snapshot.</summary>
    public bool IsSnapshot => _server.Configuration.NumberOf("aof-use-rdb-preamble") != 0;

    /// <summary>Makes what writes a base.</summary>
    /// <param name="place">Its names.</param>
    /// <param name="isSnapshot">Whether it is a snapshot.</param>
    /// <param name="cancellation">Ends its waits.</param>
    public ISnapshotConsumer Make(RdbFilePlace place, bool isSnapshot, CancellationToken cancellation)
    {
        var options = _settings.Options(cancellation, isJournalBase: true);
        return isSnapshot
            ? new RdbFileSnapshot(_data.Files, place, options, _settings.Notes(isJournalBase: true))
            {
                Functions = _data.Loading.Functions,
            }
            : new CommandFileSnapshot(_data.Files, place, options)
            {
                Functions = _data.Loading.Functions,
                HasTimestamp = _server.Configuration.NumberOf("aof-timestamp-enabled") != 0,
            };
    }

    /// <summary>Whether a base that failed because of streams with idempotent producers is worth another
    /// attempt, which knows that there are some.</summary>
    public bool CanRetry(ISnapshotConsumer failed) =>
        failed is RdbFileSnapshot { HasMetProducers: true } && _settings.TryAllowProducers();
}
