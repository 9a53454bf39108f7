using System.Collections.Generic;
using System.Threading;

namespace Cinnabar.Memory;

/// <summary>The arenas and pools of one page source, and what they lost. Thread-safe.</summary>
internal sealed class PageOwners
{
    private readonly Lock _lock = new();
    private readonly List<IPageOwner> _owners = [];
    private readonly List<string> _abandoned = [];

    /// <summary>Bytes in live blocks of all owners.</summary>
    internal long UsedBytes
    {
        get
        {
            lock (_lock)
            {
                long sum = 0;
                foreach (IPageOwner owner in _owners)
                    sum += owner.UsedBytes;
                return sum;
            }
        }
    }

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
            _owners.Add(owner);
    }

    /// <summary>Forgets an owner; what it still had live goes to the leak report.</summary>
    internal void Unregister(IPageOwner owner)
    {
        lock (_lock)
        {
            if (_owners.Remove(owner))
                owner.AppendLeaks(_abandoned);
        }
    }
}
