// Who has memory of a page source, and how much of it is in use.
//
// The exact figure is the sum over all owners, which each command would have to add up near a limit. So
// owners also tell this class when what they use has changed by StepBytes since they last told: one shared
// number is then right to StepBytes an owner, and only who is nearer to a limit than that adds up
// (UsesMoreThan).
//
// The list is replaced, not changed: it is read without a lock.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace Cinnabar.Memory;

/// <summary>The arenas and pools of one page source, and what they lost. Thread-safe.</summary>
internal sealed class PageOwners
{
    /// <summary>What an owner may use more or less than it has told.</summary>
    internal const long StepBytes = 4096;

    private readonly Lock _lock = new();
    private readonly List<string> _abandoned = [];
    private IPageOwner[] _owners = [];
    private PaddedCount _toldBytes;

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

    /// <summary>What the slabs of all owners have in pages, as each of them counts it.</summary>
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
        long told = Volatile.Read(ref _toldBytes.Value);
        long errorMax = Volatile.Read(ref _owners).Length * StepBytes;
        return Math.Abs(told - bytes) > errorMax ? told > bytes : UsedBytes > bytes;
    }

    /// <summary>An owner uses so many bytes more, or less, than it has told so far.</summary>
    internal void Tell(long bytes) => Interlocked.Add(ref _toldBytes.Value, bytes);

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
}
