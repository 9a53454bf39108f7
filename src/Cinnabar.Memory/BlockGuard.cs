// Checked mode: the guards around a block, and the quarantine of freed blocks.
//
//   raw block: ┌─────────────────────────┬───────┬───────────────┬──────────┐
//              │ margin, filled with 0xBA│ stamp │ block         │ 0xBA × 16│
//              └─────────────────────────┴───────┴───────────────┴──────────┘
//                margin - 16 bytes         16 B    size class      16 B
//
// The stamp is the block's size and a word made of its address that says live or freed. Margins keep the
// alignment that the owner promises. A fresh block is filled with 0xCD, a freed one with 0xDD. A freed block
// waits in quarantine, first in first out; a write to it in the meantime (a use after free) is found when it
// leaves. A finding throws and names the owner.
//
// Limits: reads of freed blocks are not seen (they show as 0xDD in results); a stray write far from any block
// is not seen. Guarded by the owner's lock.
using System.Linq;

namespace Cinnabar.Memory;

/// <summary>Canaries, poison, quarantine and a count by size for the blocks of one owner.</summary>
/// <param name="owner">Named in messages.</param>
/// <param name="margin">Bytes before a block: at least 16, a multiple of its alignment.</param>
internal sealed unsafe class BlockGuard(string owner, int margin)
{
    private const byte MarginFill = 0xBA;
    private const byte FreshFill = 0xCD;
    private const byte FreedFill = 0xDD;
    private const ulong LiveWord = 0x4C49_5645_B10C_CE11;
    private const ulong FreedWord = 0xF2EE_D000_DEAD_B10C;
    private const int StampBytes = 16;
    private const int TailBytes = 16;
    private const int QuarantineCountMax = 1024;
    private const long QuarantineBytesMax = 1 << 20;

    private readonly string _owner = owner;
    private readonly int _margin = margin;
    private readonly Queue<nint> _quarantine = [];
    private readonly Dictionary<nuint, long> _liveCounts = [];
    private long _quarantineBytes;

    /// <summary>The raw bytes that a block of this size needs.</summary>
    internal nuint RawSize(nuint blockSize) => blockSize + (nuint)(_margin + TailBytes);

    /// <summary>Makes a raw block a live one.</summary>
    internal byte* Arm(byte* raw, nuint blockSize)
    {
        byte* block = raw + _margin;
        Fill(raw, (nuint)(_margin - StampBytes), MarginFill);
        Stamp(block)[0] = LiveWord ^ (ulong)block;
        Stamp(block)[1] = blockSize;
        Fill(block, blockSize, FreshFill);
        Fill(block + blockSize, TailBytes, MarginFill);
        _liveCounts[blockSize] = _liveCounts.GetValueOrDefault(blockSize) + 1;
        return block;
    }

    /// <summary>Checks a block that is being freed, poisons it and puts it in quarantine.</summary>
    /// <exception cref="MemoryFaultException">It is not live, has another size, or was written past its
    /// ends.</exception>
    internal void Disarm(byte* block, nuint blockSize)
    {
        ulong word = Stamp(block)[0] ^ (ulong)block;
        if (word == FreedWord)
            throw Fault(block, "freed twice");
        if (word != LiveWord)
            throw Fault(block, "not a live block of this owner, or overwritten from below");
        nuint knownSize = (nuint)Stamp(block)[1];
        if (knownSize != blockSize)
            throw Fault(block, $"allocated with size class {knownSize}, freed with {blockSize}");
        if (!IsFilled(block + blockSize, TailBytes, MarginFill))
            throw Fault(block, $"written past its {blockSize} bytes");
        if (!IsFilled(block - _margin, (nuint)(_margin - StampBytes), MarginFill))
            throw Fault(block, "overwritten from below");
        Stamp(block)[0] = FreedWord ^ (ulong)block;
        Fill(block, blockSize, FreedFill);
        _liveCounts[blockSize]--;
        _quarantine.Enqueue((nint)block);
        _quarantineBytes += (long)RawSize(blockSize);
    }

    /// <summary>Releases the oldest block from the quarantine while that is too full or must be
    /// emptied.</summary>
    /// <exception cref="MemoryFaultException">The block was written to after it was freed.</exception>
    internal bool TryRelease(bool mustEmpty, out byte* raw, out nuint rawSize)
    {
        raw = null;
        rawSize = 0;
        bool isOverfull = _quarantine.Count > QuarantineCountMax || _quarantineBytes > QuarantineBytesMax;
        if (_quarantine.Count == 0 || (!mustEmpty && !isOverfull))
            return false;
        byte* block = (byte*)_quarantine.Dequeue();
        nuint blockSize = (nuint)Stamp(block)[1];
        if ((Stamp(block)[0] ^ (ulong)block) != FreedWord || !IsFilled(block, blockSize, FreedFill))
            throw Fault(block, "written to after it was freed");
        raw = block - _margin;
        rawSize = RawSize(blockSize);
        _quarantineBytes -= (long)rawSize;
        Stamp(block)[0] = 0;
        return true;
    }

    /// <summary>Adds a line for each size with live blocks.</summary>
    internal void AppendLeaks(List<string> lines)
    {
        foreach ((nuint size, long count) in _liveCounts.OrderBy(static pair => pair.Key))
        {
            if (count != 0)
                lines.Add($"{_owner}: {count} blocks of {size} bytes");
        }
    }

    // SAFETY: every address that Arm returned has the stamp before it, inside the same raw block.
    private static ulong* Stamp(byte* block) => (ulong*)(block - StampBytes);

    private static void Fill(byte* address, nuint size, byte value)
    {
        for (nuint done = 0; done < size; done += int.MaxValue)
            new Span<byte>(address + done, (int)nuint.Min(size - done, int.MaxValue)).Fill(value);
    }

    private static bool IsFilled(byte* address, nuint size, byte value)
    {
        for (nuint done = 0; done < size; done += int.MaxValue)
        {
            ReadOnlySpan<byte> part = new(address + done, (int)nuint.Min(size - done, int.MaxValue));
            if (part.ContainsAnyExcept(value))
                return false;
        }
        return true;
    }

    private MemoryFaultException Fault(byte* block, string what) =>
        new($"{_owner}: block 0x{(nuint)block:x}: {what}");
}
