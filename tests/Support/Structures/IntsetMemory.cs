using System;
using System.Collections.Generic;
using Cinnabar.Structures.Intsets;

namespace Cinnabar.Tests.Support.Structures;

/// <summary>An intset in memory that is never larger than it: every growth is computed before.</summary>
public sealed unsafe class IntsetMemory : IDisposable
{
    private readonly PackMemory _memory = new(1 << 18);

    /// <summary>Makes an intset of members.</summary>
    public IntsetMemory(params ReadOnlySpan<long> members)
    {
        _memory.Resize(Intset.HeaderSize);
        Intset.Initialize(_memory.Data);
        foreach (long member in members) Add(member);
    }

    /// <summary>The intset as it is now.</summary>
    public IntsetReader Reader => new(_memory.Data);

    /// <summary>An editor that can make it so many bytes larger.</summary>
    public IntsetEditor Edit(int growth = 0)
    {
        _memory.Resize(Reader.Size + growth);
        return new IntsetEditor(_memory.Data, _memory.Capacity);
    }

    /// <summary>Adds a member; false: it was there.</summary>
    public bool Add(long member) =>
        Edit((int)(IntsetEditor.SizeWith(Reader, member) - Reader.Size)).Add(member);

    /// <summary>All members, in their order.</summary>
    public List<long> Members()
    {
        List<long> members = [];
        for (int index = 0; index < Reader.Count; index++) members.Add(Reader[index]);
        return members;
    }

    /// <inheritdoc/>
    public void Dispose() => _memory.Dispose();
}
