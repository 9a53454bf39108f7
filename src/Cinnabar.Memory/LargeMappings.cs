using System.Collections.Generic;
using Cinnabar.Platform;

namespace Cinnabar.Memory;

/// <summary>The blocks that a page source maps one by one; guarded by its lock.</summary>
internal sealed unsafe class LargeMappings
{
    private readonly Dictionary<nint, nuint> _sizes = [];

    /// <summary>Bytes of them all.</summary>
    internal long Bytes { get; private set; }

    internal void Add(byte* address, nuint size)
    {
        _sizes.Add((nint)address, size);
        Bytes += (long)size;
    }

    /// <summary>Forgets a block, which the caller unmaps.</summary>
    /// <exception cref="MemoryFaultException">There is no such block, or it has another size.</exception>
    internal void Remove(byte* address, nuint size)
    {
        if (!_sizes.TryGetValue((nint)address, out nuint known))
            throw new MemoryFaultException($"0x{(nuint)address:x} is not a mapped block: freed twice?");
        if (known != size)
            throw new MemoryFaultException($"a mapped block of {known} bytes was freed as one of {size}");
        _sizes.Remove((nint)address);
        Bytes -= (long)size;
    }

    /// <summary>Unmaps and forgets them all.</summary>
    internal void UnmapAll()
    {
        foreach ((nint address, nuint size) in _sizes)
            NativePages.Unmap((byte*)address, size);
        _sizes.Clear();
        Bytes = 0;
    }
}
