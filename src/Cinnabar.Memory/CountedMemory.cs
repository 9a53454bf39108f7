namespace Cinnabar.Memory;

/// <summary>Memory that does not lie in the pages of a <see cref="PageSource"/> and yet counts as used, such
/// as growing buffers of the system's allocator. Thread-safe.</summary>
public sealed class CountedMemory : IPageOwner, IDisposable
{
    private readonly PageSource _pages;
    private readonly string _name;
    private PaddedCount _usedBytes;
    private long _reportedBytes;

    /// <summary>Makes a count that is part of a source's.</summary>
    /// <param name="pages">The source.</param>
    /// <param name="name">Named in leak reports.</param>
    public CountedMemory(PageSource pages, string name)
    {
        (_pages, _name) = (pages, name);
        pages.Owners.Register(this);
    }

    /// <summary>Bytes in use.</summary>
    public long UsedBytes => Volatile.Read(ref _usedBytes.Value);

    PageUse IPageOwner.PageUse => new(UsedBytes, UsedBytes);

    /// <summary>Counts bytes that were allocated, or, where negative, freed.</summary>
    public void Add(long bytes)
    {
        if (bytes == 0)
            return;
        long used = Interlocked.Add(ref _usedBytes.Value, bytes);
        Debug.Assert(used >= 0, "more is freed than was counted");
        // ORDER: the thread that exchanges what was reported reports the difference, so nothing is reported
        // twice; another that has failed looks whether something is left to report.
        long reported = Volatile.Read(ref _reportedBytes);
        while (Math.Abs(used - reported) >= PageOwners.StepBytes)
        {
            if (Interlocked.CompareExchange(ref _reportedBytes, used, reported) == reported)
                _pages.Owners.Report(used - reported);
            (reported, used) = (Volatile.Read(ref _reportedBytes), UsedBytes);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _pages.Owners.Unregister(this);

    void IPageOwner.AppendLeaks(List<string> lines)
    {
        if (UsedBytes != 0)
            lines.Add($"{_name}: {UsedBytes} bytes");
    }
}
