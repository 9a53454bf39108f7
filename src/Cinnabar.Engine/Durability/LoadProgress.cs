using Cinnabar.Engine.Logging;
using Cinnabar.Persistence.Rdb.Loading;

namespace Cinnabar.Engine.Durability;

/// <summary>How far the loading of the data is, for INFO and for the log. Any thread.</summary>
internal sealed class LoadProgress(long startedUs, long totalBytes)
{
    private const long UsPerS = 1_000_000;
    private const double BytesPerMegabyte = 1 << 20;
    private const long ReportIntervalNs = 2_000_000_000;

    private RdbLoadProgress? _file;
    private RdbLoadProgress? _counts;
    private long _earlierBytes;
    private long _usedBytes;
    private long? _reportedNs;

    /// <summary>When it began, Unix microseconds.</summary>
    public long StartedUs { get; } = startedUs;

    /// <summary>Bytes of all files.</summary>
    public long TotalBytes { get; } = totalBytes;

    /// <summary>Bytes that were loaded.</summary>
    public long LoadedBytes =>
        Interlocked.Read(ref _earlierBytes) + (Volatile.Read(ref _file)?.LoadedBytes ?? 0);

    /// <summary>Percent of the bytes that were loaded.</summary>
    public double Percent => TotalBytes == 0 ? 100 : 100.0 * LoadedBytes / TotalBytes;

    /// <summary>Bytes of memory that the server had in use that wrote the file.</summary>
    public long UsedBytes
    {
        get => Interlocked.Read(ref _usedBytes);
        set => Interlocked.Exchange(ref _usedBytes, value);
    }

    /// <summary>The seconds that are left if it goes on so.</summary>
    public long LeftSeconds(long nowUs)
    {
        long elapsedS = (nowUs - StartedUs) / UsPerS;
        long loaded = LoadedBytes;
        // As Redis, which tells one second until it knows better.
        return elapsedS == 0 || loaded == 0 ? 1 : (long)((double)elapsedS * (TotalBytes - loaded) / loaded);
    }

    /// <summary>What was counted of the keys of an RDB file, which an append-only file may begin with; null:
    /// none has been opened.</summary>
    public RdbLoadProgress? Counts => Volatile.Read(ref _counts);

    /// <summary>Follows the load of a file.</summary>
    public void Follow(RdbLoadProgress file)
    {
        Volatile.Write(ref _counts, file);
        Volatile.Write(ref _file, file);
    }

    /// <summary>Counts bytes of files that are loaded, in place of the file that was followed.</summary>
    public void Add(long bytes)
    {
        Volatile.Write(ref _file, null);
        Interlocked.Add(ref _earlierBytes, bytes);
    }

    /// <summary>Writes to the log how far it is, two seconds after the first call and then every two seconds.
    /// One thread at a time.</summary>
    /// <param name="log">The log.</param>
    /// <param name="nowNs">The time, monotonic.</param>
    /// <param name="rest">What else there is to say.</param>
    public void Report(ILog log, long nowNs, string rest = "")
    {
        _reportedNs ??= nowNs;
        if (nowNs - _reportedNs < ReportIntervalNs)
            return;
        _reportedNs = nowNs;
        log.Write(LogLevel.Notice, string.Create(CultureInfo.InvariantCulture,
            $"Loading: {Percent:F2}% of {TotalBytes / BytesPerMegabyte:F2} Mb{rest}"));
    }
}
