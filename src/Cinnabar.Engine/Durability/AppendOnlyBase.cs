using Cinnabar.Persistence.Snapshots;
using Cinnabar.Platform;

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
            ? new RdbFileSnapshot(
                new PlacedFile(_data.Files, place), options, _settings.Notes(isJournalBase: true))
            {
                Functions = _server.Libraries.Current.Stored,
            }
            : new CommandFileSnapshot(_data.Files, place, options)
            {
                Functions = _server.Libraries.Current.Stored,
                HasTimestamp = _server.Configuration.NumberOf("aof-timestamp-enabled") != 0,
            };
    }

    /// <summary>What the log says of a base that failed, in Redis's words.</summary>
    public static string FailureText(Exception fault, RdbFilePlace place)
    {
        string text = SystemErrorText.Of((fault as FileStepException)?.Fault ?? fault, place.Directory);
        return fault switch
        {
            FileStepException { Step: FileStep.Open } =>
                $"Opening the temp file for AOF rewrite in rewriteAppendOnlyFile(): {text}",
            FileStepException { Step: FileStep.Rename } =>
                $"Error moving temp append only file on the final destination: {text}",
            _ => $"Write error writing append only file on disk: {text}",
        };
    }
}
