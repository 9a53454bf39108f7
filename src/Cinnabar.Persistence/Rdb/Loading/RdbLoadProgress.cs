namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>How far a load is. Written by its threads, read by any.</summary>
public sealed class RdbLoadProgress
{
    private long _loadedBytes;
    private long _keysLoaded;
    private long _keysExpired;
    private long _emptyKeys;
    private long _moduleKeys;

    /// <summary>Bytes of the file.</summary>
    public long TotalBytes { get; internal set; }

    /// <summary>Bytes that were scanned.</summary>
    public long LoadedBytes
    {
        get => Interlocked.Read(ref _loadedBytes);
        internal set => Interlocked.Exchange(ref _loadedBytes, value);
    }

    /// <summary>Keys that were put into the key space.</summary>
    public long KeysLoaded => Interlocked.Read(ref _keysLoaded);

    /// <summary>Keys that were dropped, since their deadline had passed.</summary>
    public long KeysExpired => Interlocked.Read(ref _keysExpired);

    /// <summary>Collections without elements that were dropped.</summary>
    public long EmptyKeys => Interlocked.Read(ref _emptyKeys);

    /// <summary>Keys of modules, or with metadata of modules, that were not loaded whole.</summary>
    public long ModuleKeys => Interlocked.Read(ref _moduleKeys);

    /// <summary>Adds what a worker has done.</summary>
    internal void Add(long loaded, long expired, long empty, long ofModules)
    {
        Interlocked.Add(ref _keysLoaded, loaded);
        Interlocked.Add(ref _keysExpired, expired);
        Interlocked.Add(ref _emptyKeys, empty);
        Interlocked.Add(ref _moduleKeys, ofModules);
    }
}
