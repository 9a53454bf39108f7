// The owners of a page source's memory, and how much of it is in use.
//
// The exact figure is the sum over all owners; near a limit each command would have to add it up. So an owner
// also reports here when its use has changed by StepBytes since its last report. One shared sum is then exact
// to StepBytes an owner, and UsesMoreThan adds up all owners only nearer to the limit than that. A caller
// that may act a little early asks MayUseMoreThan, which never adds up.
//
// The list is replaced, not changed: it is read without a lock.

namespace Cinnabar.Memory;

/// <summary>The arenas and pools of one page source, and their leaks. Thread-safe.</summary>
/// <param name="keepsPeak">Whether the most that was in use is kept: for tests.</param>
internal sealed class PageOwners(bool keepsPeak)
{
    /// <summary>How far an owner's use may differ from its last report.</summary>
    internal const long StepBytes = 2048;

    private readonly Lock _lock = new();
    private readonly List<string> _abandoned = [];
    private IPageOwner[] _owners = [];
    private readonly bool _keepsPeak = keepsPeak;
    private PaddedCount _reportedBytes;
    private long _peakBytes;

    /// <summary>Bytes in live blocks of all owners.</summary>
    internal long UsedBytes
    {
        get
        {
            long sum = 0;
            foreach (IPageOwner owner in Volatile.Read(ref _owners))
                sum += owner.UsedBytes;
            return sum;
        }
    }

    /// <summary>The pages of all owners' slabs, as each owner counts them.</summary>
    internal PageUse PageUse
    {
        get
        {
            PageUse sum = default;
            foreach (IPageOwner owner in Volatile.Read(ref _owners))
                sum += owner.PageUse;
            return sum;
        }
    }

    /// <summary>Whether more than a number of bytes is in use.</summary>
    internal bool UsesMoreThan(long bytes)
    {
        long reported = Volatile.Read(ref _reportedBytes.Value);
        return Math.Abs(reported - bytes) > ErrorBytesMax ? reported > bytes : UsedBytes > bytes;
    }

    /// <summary>By how many bytes the sum of the reports may differ from what is in use.</summary>
    internal long ErrorBytesMax => Volatile.Read(ref _owners).Length * StepBytes;

    /// <summary>Whether more than a number of bytes may be in use, as far as the reports tell: never false
    /// where it is.</summary>
    internal bool MayUseMoreThan(long bytes) =>
        Volatile.Read(ref _reportedBytes.Value) + ErrorBytesMax > bytes;

    /// <summary>An owner reports by how many bytes its use has changed.</summary>
    internal void Report(long bytes)
    {
        long reported = Interlocked.Add(ref _reportedBytes.Value, bytes);
        if (_keepsPeak)
            KeepPeak(reported);
    }

    /// <summary>The most that the reports have told at once since the last call, where it is kept; the next
    /// call gives that of the time between.</summary>
    internal long TakePeak() =>
        Interlocked.Exchange(ref _peakBytes, Volatile.Read(ref _reportedBytes.Value));

    internal string[] LeakReport()
    {
        lock (_lock)
        {
            List<string> lines = [.. _abandoned];
            foreach (IPageOwner owner in _owners)
                owner.AppendLeaks(lines);
            return [.. lines];
        }
    }

    internal void Register(IPageOwner owner)
    {
        lock (_lock)
        {
            Debug.Assert(!_owners.AsSpan().Contains(owner), "an owner registers twice");
            Volatile.Write(ref _owners, [.. _owners, owner]);
        }
    }

    /// <summary>Forgets an owner; what it still had live goes to the leak report.</summary>
    internal void Unregister(IPageOwner owner)
    {
        lock (_lock)
        {
            int index = Array.IndexOf(_owners, owner);
            if (index < 0)
                return;
            owner.AppendLeaks(_abandoned);
            Volatile.Write(ref _owners, [.. _owners[..index], .. _owners[(index + 1)..]]);
        }
    }

    private void KeepPeak(long reported)
    {
        long peak = Volatile.Read(ref _peakBytes);
        while (reported > peak)
        {
            long seen = Interlocked.CompareExchange(ref _peakBytes, reported, peak);
            if (seen == peak)
                return;
            peak = seen;
        }
    }
}
