using Cinnabar.Platform.Files;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>A load of a file: what its threads share.</summary>
/// <param name="File">The file.</param>
/// <param name="Keyspace">Where its keys go.</param>
/// <param name="Options">How.</param>
/// <param name="Observer">Hears of what the file has beside its keys.</param>
/// <param name="Stop">Ends the load.</param>
internal sealed record RdbLoad(StoredFile File, Keyspace.Keyspace Keyspace, RdbReadOptions Options,
    IRdbFileObserver Observer, CancellationToken Stop)
{
    /// <summary>How far it is.</summary>
    public RdbLoadProgress Progress { get; } = new() { TotalBytes = File.Length };

    /// <summary>The locks of its workers.</summary>
    public RdbStripeLocks Locks { get; } = new(Keyspace, Options.IsHoldingStripes);
}
