namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>How a file is loaded.</summary>
public sealed record RdbReadOptions
{
    /// <summary>The time of the load, Unix milliseconds: what is past its deadline is dropped.</summary>
    public required long NowMs { get; init; }

    /// <summary>What becomes of keys past their deadline; null: they are dropped. Asked for some keys at a
    /// time, when what the file says of itself has been read.</summary>
    public Func<DueKeys>? Due { get; init; }

    /// <summary>Whether a key takes the place of one that is there; else that is an error.</summary>
    public bool ReplacesKeys { get; init; }

    /// <summary>Whether the keys go into the key space's reserve.</summary>
    public bool IsIntoReserve { get; init; }

    /// <summary>Whether keys of modules are left out; else the first is an error.</summary>
    public bool SkipsModuleKeys { get; init; }

    /// <summary>Whether newer versions are read, up to the first type that is not known.</summary>
    public bool IsVersionRelaxed { get; init; }

    /// <summary>Whether the checksum is compared.</summary>
    public bool IsChecksumVerified { get; init; } = true;

    /// <summary>Whether the caller holds all stripes for the time of the load; else the workers take
    /// them.</summary>
    public bool IsHoldingStripes { get; init; }

    /// <summary>How many threads load values; 0: the caller's does it all.</summary>
    public int WorkerCount { get; init; }

    /// <summary>Bytes that are read at a time.</summary>
    public int BlockSize { get; init; } = BlockSizeDefault;

    /// <summary>Waits for each key; null: nothing waits.</summary>
    public KeyDelay? KeyDelay { get; init; }

    /// <summary>Bytes of a block.</summary>
    public const int BlockSizeDefault = 1 << 20;
}
