using System.Threading;

namespace Cinnabar.Persistence.Rdb.Writing;

/// <summary>How a file is written.</summary>
public readonly record struct RdbFileOptions()
{
    /// <summary>The oldest Redis that is to read it.</summary>
    public RdbCompatibility Compatibility { get; init; } = RdbCompatibility.Redis74;

    /// <summary>Whether the file says that it is of version 13, which it must where a stream has idempotent
    /// producers.</summary>
    public bool HasProducers { get; init; }

    /// <summary>Whether strings are compressed (<c>rdbcompression</c>).</summary>
    public bool IsCompressed { get; init; } = true;

    /// <summary>Whether the file ends in its CRC64 (<c>rdbchecksum</c>); else in a zero.</summary>
    public bool IsChecked { get; init; } = true;

    /// <summary>Whether the disk gets what was written every 4 MiB (<c>rdb-save-incremental-fsync</c>), so
    /// that the flush at the end is short.</summary>
    public bool IsFlushedOnTheWay { get; init; } = true;

    /// <summary>What is written of the use of each key.</summary>
    public RdbUse Use { get; init; }

    /// <summary>Counts uses where <see cref="Use"/> is <see cref="RdbUse.Frequency"/>.</summary>
    public AccessFrequency? Frequency { get; init; }

    /// <summary>The instant from which seconds without a use count, Unix milliseconds.</summary>
    public long NowMs { get; init; }

    /// <summary>Waits after each key (<c>rdb-key-save-delay</c>, for tests); null: nothing waits.</summary>
    public KeyDelay? KeyDelay { get; init; }

    /// <summary>Ends such a wait.</summary>
    public CancellationToken Cancellation { get; init; }
}
