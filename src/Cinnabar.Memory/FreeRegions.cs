using System.Collections.Generic;

namespace Cinnabar.Memory;

/// <summary>
/// The regions of which something is free, by what that is; guarded by their page source's lock. A region
/// leaves a list when it is found there without reason, and comes back when it is noted with one.
/// </summary>
internal sealed unsafe class FreeRegions
{
    private readonly List<Region> _withFirst = [];      // exactly those whose first, shorter slab is ready
    private readonly List<Region> _withReady = [];      // another slab is free and ready
    private readonly List<Region> _withUntouched = [];  // a half has not been touched yet

    /// <summary>How many slabs of all regions are free and ready (<see cref="Region.ReadyCount"/>).</summary>
    internal int ReadyCount { get; private set; }

    /// <summary>Bytes of all regions that have memory and that no owner of slabs counts (<see
    /// cref="Region.ResidentBytes"/>).</summary>
    internal long ResidentBytes { get; private set; }

    /// <summary>Of how many regions all slabs are free.</summary>
    internal int EmptyCount { get; private set; }

    /// <summary>Whether the first slab of any region is free and ready.</summary>
    internal bool HasFirst => _withFirst.Count != 0;

    /// <summary>Adds an empty region.</summary>
    internal void Add(Region region)
    {
        if (region.HasFirst)
            _withFirst.Add(region);
        if (region.HasUntouched)
        {
            region.IsListedUntouched = true;
            _withUntouched.Add(region);
        }
        Note(region, default);
        EmptyCount++;
    }

    /// <summary>Removes an empty region, if there is one.</summary>
    internal Region? RemoveEmpty()
    {
        Region? region = _withFirst.Find(static region => region.IsEmpty)
            ?? _withUntouched.Find(static region => region.IsEmpty);
        if (region is null)
            return null;
        if (region.HasFirst)
            _withFirst.Remove(region);
        if (region.IsListedReady)
            _withReady.Remove(region);
        if (region.IsListedUntouched)
            _withUntouched.Remove(region);
        ReadyCount -= region.ReadyCount;
        ResidentBytes -= region.ResidentBytes;
        EmptyCount--;
        return region;
    }

    /// <summary>A region whose first slab is free and ready; there is one. That slab is to be
    /// taken.</summary>
    internal Region UnlistFirst()
    {
        Region region = _withFirst[^1];
        _withFirst.RemoveAt(_withFirst.Count - 1);
        return region;
    }

    /// <summary>A region with a slab of full length that is free and ready.</summary>
    internal Region? FindReady()
    {
        for (int last = _withReady.Count - 1; last >= 0; last--)
        {
            Region region = _withReady[last];
            if (region.HasReady)
                return region;
            _withReady.RemoveAt(last);
            region.IsListedReady = false;
        }
        return null;
    }

    /// <summary>A region with an untouched half.</summary>
    /// <param name="mayBeHuge">Whether that may be a huge page.</param>
    internal Region? FindUntouched(bool mayBeHuge)
    {
        for (int index = _withUntouched.Count - 1; index >= 0; index--)
        {
            Region region = _withUntouched[index];
            if (region.HasUntouched && (mayBeHuge || !region.IsHuge))
                return region;
            if (region.HasUntouched)
                continue;
            _withUntouched.RemoveAt(index);
            region.IsListedUntouched = false;
        }
        return null;
    }

    /// <summary>Takes a free slab.</summary>
    /// <param name="region">Found by a method of this class, or new.</param>
    /// <param name="isFirst">Whether by the former.</param>
    /// <param name="wasKept">Whether it was given back and still has its memory.</param>
    /// <param name="wasUntouched">Whether its half of the region was untouched.</param>
    internal Slab* Take(Region region, bool isFirst, out bool wasKept, out bool wasUntouched)
    {
        NoteUse(region);
        Sums before = SumsOf(region);
        int untouchedCount = region.UntouchedCount;
        bool hadFirst = region.HasFirst;
        Slab* slab = isFirst ? region.TakeFirst(out wasKept) : region.TakeWhole(out wasKept);
        wasUntouched = region.UntouchedCount < untouchedCount;
        if (!hadFirst && region.HasFirst)
            _withFirst.Add(region);
        Note(region, before);
        return slab;
    }

    /// <summary>Takes a slab back.</summary>
    /// <param name="region">Where it is.</param>
    /// <param name="index">Which one of it.</param>
    /// <param name="isKept">Whether it still has its memory.</param>
    internal void GiveBack(Region region, int index, bool isKept)
    {
        Sums before = SumsOf(region);
        region.GiveBack(index, isKept);
        if (index == 0)
            _withFirst.Add(region);
        Note(region, before);
        NoteEmpty(region);
    }

    /// <summary>Takes an untouched half of a region, the lower one first.</summary>
    internal byte* TakeHalf(Region region)
    {
        NoteUse(region);
        Sums before = SumsOf(region);
        byte* half = region.TakeHalf();
        Note(region, before);
        return half;
    }

    /// <summary>Takes a prepared half of a region that nobody has used yet; null where there is
    /// none.</summary>
    internal byte* TakePrepared(Region region)
    {
        bool wasEmpty = region.IsEmpty;
        Sums before = SumsOf(region);
        byte* half = region.TakePrepared();
        if (wasEmpty && half != null)
            EmptyCount--;
        if (half == region.Address)
            _withFirst.Remove(region);
        Note(region, before);
        return half;
    }

    /// <summary>Takes back a half, which is prepared now or has lost its memory.</summary>
    internal void GiveHalfBack(Region region, byte* half, bool isPrepared)
    {
        Sums before = SumsOf(region);
        region.GiveHalfBack(half, isPrepared);
        if (half == region.Address && isPrepared)
            _withFirst.Add(region);
        if (!isPrepared && !region.IsListedUntouched)
        {
            region.IsListedUntouched = true;
            _withUntouched.Add(region);
        }
        Note(region, before);
        NoteEmpty(region);
    }

    internal void Clear()
    {
        _withFirst.Clear();
        _withReady.Clear();
        _withUntouched.Clear();
        ReadyCount = 0;
        ResidentBytes = 0;
        EmptyCount = 0;
    }

    private void NoteUse(Region region)
    {
        if (region.IsEmpty)
            EmptyCount--;
    }

    private void NoteEmpty(Region region)
    {
        if (region.IsEmpty)
            EmptyCount++;
    }

    private static Sums SumsOf(Region region) => new(region.ReadyCount, region.ResidentBytes);

    private void Note(Region region, Sums before)
    {
        ReadyCount += region.ReadyCount - before.ReadyCount;
        ResidentBytes += region.ResidentBytes - before.ResidentBytes;
        if (!region.HasReady || region.IsListedReady)
            return;
        region.IsListedReady = true;
        _withReady.Add(region);
    }

    // A region's part of the sums.
    private readonly record struct Sums(int ReadyCount, long ResidentBytes);
}
