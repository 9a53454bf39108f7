using System;
using System.Collections.Generic;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Xunit;

namespace Cinnabar.Tests.Property.Memory;

/// <summary>An arena and what must be true of it: which blocks are live, where, and what is in
/// them.</summary>
internal sealed unsafe class ArenaModel : IDisposable
{
    private readonly Arena _arena;
    private readonly List<(nint Block, nuint Size, ulong Seed)> _blocks = [];

    internal ArenaModel(PageSource pages, string name)
    {
        _arena = new Arena(pages, name);
    }

    internal long UsedBytes { get; private set; }

    public void Dispose() => _arena.Dispose();

    internal void Allocate(ref RandomSource random)
    {
        nuint size = NextSize(ref random);
        byte* block = _arena.Allocate(size);
        Add(block, size, random.Next());
    }

    internal void Free(ref RandomSource random)
    {
        if (_blocks.Count == 0)
            return;
        (nint block, nuint size, ulong seed) = TakeAny(ref random);
        CheckContent(block, size, seed);
        nuint blockSize = Arena.BlockSize(size);
        // Any size of the same class will do.
        nuint freedSize = Arena.BlockSize(blockSize - 7) == blockSize ? blockSize - 7 : blockSize;
        _arena.Free((byte*)block, freedSize);
        UsedBytes -= (long)blockSize;
        CheckTotals();
    }

    /// <summary>Moves a block to one of another size, as an entry that grows.</summary>
    internal void Resize(ref RandomSource random)
    {
        if (_blocks.Count == 0)
            return;
        (nint block, nuint size, ulong seed) = TakeAny(ref random);
        CheckContent(block, size, seed);
        nuint newSize = NextSize(ref random);
        byte* grown = _arena.Allocate(newSize);
        CheckContent(block, size, seed);
        _arena.Free((byte*)block, size);
        UsedBytes -= (long)Arena.BlockSize(size);
        Add(grown, newSize, seed + 1);
    }

    internal void Trim(ref RandomSource random)
    {
        if (random.NextBelow(20) == 0)
            _arena.Trim();
        CheckTotals();
    }

    internal void FreeAll()
    {
        foreach ((nint block, nuint size, ulong seed) in _blocks)
        {
            CheckContent(block, size, seed);
            _arena.Free((byte*)block, size);
        }
        _blocks.Clear();
        UsedBytes = 0;
        CheckTotals();
    }

    /// <summary>All contents, and that no two blocks overlap.</summary>
    internal void CheckAll()
    {
        List<(nint Start, nint End)> extents = [];
        foreach ((nint block, nuint size, ulong seed) in _blocks)
        {
            CheckContent(block, size, seed);
            extents.Add((block, block + (nint)Arena.BlockSize(size)));
        }
        extents.Sort();
        for (int i = 1; i < extents.Count; i++)
            Assert.True(extents[i - 1].End <= extents[i].Start, "two blocks overlap");
        CheckTotals();
    }

    private static nuint NextSize(ref RandomSource random) => random.NextBelow(1000) switch
    {
        < 700 => (nuint)random.NextBelow(257),
        < 850 => (nuint)random.NextBelow(4200),
        // So many of one size that it has slabs of its own.
        < 950 => 1000 * (1 + (nuint)random.NextBelow(2)),
        < 995 => (nuint)random.NextBelow(66_000),
        _ => (nuint)random.NextBelow(400_000),
    };

    private static void CheckContent(nint block, nuint size, ulong seed)
    {
        nuint wordCount = Arena.BlockSize(size) / 8;
        ulong* words = (ulong*)block;
        for (nuint i = 0; i < wordCount; i++)
        {
            if (words[i] != seed + i)
                Assert.Fail($"word {i} of a block of {size} bytes changed");
        }
    }

    private void Add(byte* block, nuint size, ulong seed)
    {
        Assert.Equal(0u, (nuint)block % 8);
        nuint wordCount = Arena.BlockSize(size) / 8;
        for (nuint i = 0; i < wordCount; i++)
            ((ulong*)block)[i] = seed + i;
        _blocks.Add(((nint)block, size, seed));
        UsedBytes += (long)Arena.BlockSize(size);
        CheckTotals();
    }

    private (nint Block, nuint Size, ulong Seed) TakeAny(ref RandomSource random)
    {
        int index = (int)random.NextBelow((ulong)_blocks.Count);
        (nint Block, nuint Size, ulong Seed) taken = _blocks[index];
        _blocks[index] = _blocks[^1];
        _blocks.RemoveAt(_blocks.Count - 1);
        return taken;
    }

    private void CheckTotals()
    {
        if (_arena.UsedBytes != UsedBytes || _arena.BlockCount != _blocks.Count)
            Assert.Fail($"counted {_arena.UsedBytes} bytes, {_arena.BlockCount} blocks; "
                + $"there are {UsedBytes} and {_blocks.Count}");
        if (_arena.MappedBytes < UsedBytes)
            Assert.Fail($"{_arena.MappedBytes} bytes mapped, {UsedBytes} used");
    }
}
