// Slabs with blocks of different sizes, for classes of which a stripe has few blocks.
//
//   ┌───────────────┬───────────┬─────────┬──────────────────┬ ─ ─ ─ ─ ─ ─ ─ ─ ─
//   │ map: a bit for│ 1,008     │ 304     │ 2,176            │ free
//   │ 16 bytes each │ bytes     │         │                  │
//   └───────────────┴───────────┴─────────┴──────────────────┴ ─ ─ ─ ─ ─ ─ ─ ─ ─
//     512 bytes
//
// A class with slabs of its own wastes half a page after growth, half a slab after many changes of size. With
// 32 stripes and 64 classes that is more than 10,000 keys of mixed sizes take. So the first blocks of a
// class, up to BytesMax, come from slabs that all classes of the stripe share: the first long enough hole of
// the first slab that has one. Further blocks come from the class's own slabs, at a tenth of the time; before
// such a slab is added, a hole of a mixed slab is tried.
//
// The upper bounds of all slabs' longest holes lie side by side, so that a search skips several full slabs in
// a nanosecond. A slab's header says that it is mixed (and full, so that SlabClass.Free leaves the rest to
// Arena), how many blocks it has and how far they ever reached.
//
// Blocks up to 256 bytes are never here: their classes soon fill a page, and a map would cost as much as it
// saves. Nor are blocks above 4 KiB, which hardly share pages.

namespace Cinnabar.Memory;

/// <summary>The mixed slabs of one owner; guarded by its lock.</summary>
/// <param name="use">The owner's sums.</param>
internal unsafe struct MixedSlabs(SlabUse* use)
{
    /// <summary>The bytes that a class may have in mixed slabs before it gets slabs of its own.</summary>
    internal const int BytesMax = 64 * 1024;

    // With more slabs, none are chosen: their owner has so many classes that it is large anyway.
    private const int MovingCountMax = 256;

    private const int UnitShift = 4;
    private const int MapWords = Slab.Bytes >> UnitShift >> 6;
    private const int MapUnits = MapWords * sizeof(ulong) >> UnitShift;

    private readonly SlabUse* _use = use;
    private Slab** _slabs;
    private ushort* _longestMax; // units: no hole of the slab has more
    private int _capacity;
    private int _count;

    /// <summary>Whether blocks of a class may come from here.</summary>
    internal static bool IsFor(SlabClass* slabs) =>
        slabs->BlockSize - (SizeClass.FineSizeMax + 1) < SizeClass.MiddleSizeMax - SizeClass.FineSizeMax;

    /// <summary>Whether the class is small enough to get another mixed slab.</summary>
    internal static bool IsSparse(SlabClass* slabs) => slabs->MixedCount * slabs->BlockSize < BytesMax;

    /// <summary>A block of a class; null: another slab has to be added first.</summary>
    internal byte* TryAllocate(SlabClass* slabs)
    {
        int units = (int)(slabs->BlockSize >> UnitShift);
        for (int index = 0; ; index++)
        {
            // SAFETY: both arrays are the owner's and have room for more than these.
            int next = new ReadOnlySpan<ushort>(_longestMax + index, _count - index)
                .IndexOfAnyInRange((ushort)units, ushort.MaxValue);
            if (next < 0)
                return null;
            index += next;
            Slab* slab = _slabs[index];
            int start = MapUnits;
            if (BitRuns.TryFind(MapOf(slab), ref start, UnitsOf(slab), units, out int longest))
            {
                slabs->MixedCount++;
                return Take(slab, start, units);
            }

            _longestMax[index] = (ushort)longest;
        }
    }

    /// <summary>Frees a block that its slab no longer counts.</summary>
    /// <returns>Whether the slab is empty: then it is the caller's.</returns>
    /// <exception cref="MemoryFaultException">The block is free already.</exception>
    internal bool Free(Slab* slab, byte* block, SlabClass* slabs)
    {
        // SAFETY: the slab is the owner's, and has its map at its start.
        Debug.Assert(slab->IsMixed && _slabs[slab->Index] == slab, "a slab is not a mixed one");
        int units = (int)(slabs->BlockSize >> UnitShift);
        int start = (int)(block - Slab.StartOf(slab)) >> UnitShift;
        int hole = BitRuns.Free(MapOf(slab), start, units, UnitsOf(slab));
        if (hole == 0)
            throw new MemoryFaultException($"block 0x{(nuint)block:x} is free already: freed twice?");
        Debug.Assert(slabs->MixedCount > 0, "a class has more blocks freed than it had");
        slabs->MixedCount--;
        ref ushort longest = ref _longestMax[slab->Index];
        if (!slab->IsLeaving)
            longest = (ushort)Math.Max(longest, hole);
        if (slab->UsedCount != 0)
            return false;
        Remove(slab);
        return true;
    }

    /// <summary>Makes room to keep one slab more, in native memory: commands cause the growth.</summary>
    /// <exception cref="OutOfMemoryException">The system gives no more memory.</exception>
    internal void Reserve()
    {
        if (_count < _capacity)
            return;
        int capacity = Math.Max(8, 2 * _capacity);
        // SAFETY: what is kept is copied, and the old places are forgotten.
        _slabs = (Slab**)NativeMemory.Realloc(_slabs, (nuint)capacity * (nuint)sizeof(Slab*));
        _longestMax = (ushort*)NativeMemory.Realloc(_longestMax, (nuint)capacity * sizeof(ushort));
        _capacity = capacity;
    }

    /// <summary>Adds an empty slab, for which there is room.</summary>
    internal void Add(Slab* slab)
    {
        Debug.Assert(_count < _capacity, "a slab is added without room to keep it");
        // SAFETY: the slab is the owner's alone.
        slab->Freed = null;
        slab->Fresh = Slab.StartOf(slab);
        slab->UsedCount = 0;
        slab->IsFull = true;
        slab->IsMixed = true;
        slab->IsLeaving = false;
        slab->Index = _count;
        Span<ulong> map = new(Slab.StartOf(slab), MapWords);
        Reach(slab, Slab.StartOf(slab) + (MapUnits << UnitShift));
        map.Clear();
        BitRuns.Take(map, 0, MapUnits);
        _slabs[_count] = slab;
        _longestMax[_count++] = (ushort)(UnitsOf(slab) - MapUnits);
    }

    /// <summary>Chooses slabs whose blocks have room in others, the emptiest ones, which then serve no
    /// block.</summary>
    /// <returns>How many were chosen.</returns>
    internal readonly int BeginMoving()
    {
        Span<int> unitCounts = _count <= MovingCountMax ? stackalloc int[_count] : default;
        long total = 0;
        for (int index = 0; index < unitCounts.Length; index++)
            total += unitCounts[index] = TakenUnits(_slabs[index]);
        // Holes are not all long enough: an eighth is left for that.
        long room = Slab.FirstRoomBytes - (MapUnits << UnitShift);
        int keptCount = (int)((((total << UnitShift) * 9 / 8) + room - 1) / room);
        int leavingCount = Math.Max(0, unitCounts.Length - keptCount);
        for (int count = 0; count < leavingCount; count++)
        {
            int emptiest = 0;
            for (int index = 1; index < unitCounts.Length; index++)
                emptiest = unitCounts[index] < unitCounts[emptiest] ? index : emptiest;
            unitCounts[emptiest] = int.MaxValue;
            _slabs[emptiest]->IsLeaving = true;
            _longestMax[emptiest] = 0;
        }

        return leavingCount;
    }

    /// <summary>Lets the slabs that were chosen, and have blocks still, serve again.</summary>
    internal readonly void EndMoving()
    {
        for (int index = 0; index < _count; index++)
        {
            if (!_slabs[index]->IsLeaving)
                continue;
            _slabs[index]->IsLeaving = false;
            _longestMax[index] = (ushort)(UnitsOf(_slabs[index]) - MapUnits);
        }
    }

    /// <summary>Takes any slab out, with whatever lives in it, or returns null: for disposal.</summary>
    internal Slab* RemoveAny()
    {
        if (_count == 0)
            return null;
        Slab* slab = _slabs[_count - 1];
        Remove(slab);
        return slab;
    }

    /// <summary>Frees the list of its slabs, which must be empty.</summary>
    internal void Free()
    {
        Debug.Assert(_count == 0, "mixed slabs are left behind");
        NativeMemory.Free(_slabs);
        NativeMemory.Free(_longestMax);
        _slabs = null;
        _longestMax = null;
        _capacity = 0;
    }

    /// <summary>Counts slab by slab what the owner's sums must say.</summary>
    internal readonly PageUse Count()
    {
        PageUse use = default;
        for (int index = 0; index < _count; index++)
            use += new PageUse(Slab.TouchedNow(_slabs[index]), _slabs[index]->TouchedBytes);
        return use;
    }

    // SAFETY: all below: slabs are the owner's, and their headers stay mapped.
    private static Span<ulong> MapOf(Slab* slab) => new(Slab.StartOf(slab), MapWords);

    private static int TakenUnits(Slab* slab)
    {
        int count = -MapUnits;
        foreach (ulong word in MapOf(slab))
            count += BitOperations.PopCount(word);
        return count;
    }

    private static int UnitsOf(Slab* slab) => Slab.RoomOf(slab) >> UnitShift;

    private readonly byte* Take(Slab* slab, int start, int units)
    {
        BitRuns.Take(MapOf(slab), start, units);
        slab->UsedCount++;
        byte* block = Slab.StartOf(slab) + (start << UnitShift);
        byte* end = block + (units << UnitShift);
        if (end > slab->Fresh)
            Reach(slab, end);
        return block;
    }

    private readonly void Reach(Slab* slab, byte* end)
    {
        _use->Reach(slab, (int)PageSource.RoundToPages((nuint)(end - Slab.StartOf(slab))));
        slab->Fresh = end;
    }

    private void Remove(Slab* slab)
    {
        _use->Leave(slab);
        slab->UsedCount = 0;
        int last = --_count;
        int index = slab->Index;
        _slabs[index] = _slabs[last];
        _slabs[index]->Index = index;
        _longestMax[index] = _longestMax[last];
    }
}
