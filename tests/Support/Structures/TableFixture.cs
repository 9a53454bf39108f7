using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;
using Cinnabar.Memory;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Tests.Support.Structures;

/// <summary>
/// A table of 8-byte keys with its memory in checked mode, and the plain set it must agree with.
/// </summary>
public sealed unsafe class TableFixture : IDisposable
{
    private readonly PageSource _pages = new(isChecked: true);
    private readonly SegmentPool _pool;
    private readonly nint* _cell = (nint*)NativeMemory.AllocZeroed(2 * (nuint)sizeof(nint));
    private readonly Dictionary<long, nint> _entries = [];
    private readonly List<long> _keys = [];
    private readonly Dictionary<long, int> _indexes = [];

    public TableFixture(ulong seed = 1)
    {
        Seed = new HashSeed(seed, ~seed);
        Quiescence = new Quiescence(loopCount: 1);
        _pool = new SegmentPool(_pages, Quiescence);
        Table = new SegmentTable<KeyedEntry>(_pool, Seed);
        Table.PublishTo(_cell);
    }

    public HashSeed Seed { get; }

    public Quiescence Quiescence { get; }

    public SegmentTable<KeyedEntry> Table { get; }

    /// <summary>Where the memory of the table comes from.</summary>
    public PageSource Pages => _pages;

    /// <summary>The keys that are in the table, in no order.</summary>
    public IReadOnlyList<long> Keys => _keys;

    public ulong Hash(long key) => SipHash.Hash(Bytes(key), Seed);

    /// <summary>The directory as readers without the lock see it.</summary>
    public byte* Directory => (byte*)Volatile.Read(ref *_cell);

    public byte* Find(long key) => Table.Find(Hash(key), Bytes(key));

    /// <summary>Asks for bucket and entry of a hash, as a loop does without the lock.</summary>
    public void Prefetch(ulong hash) => SegmentTable<KeyedEntry>.Guess(
        SegmentTable<KeyedEntry>.Prefetch(Directory, hash), hash);

    /// <summary>How often what a prefetch has found may have become wrong.</summary>
    public nint Version => Volatile.Read(ref _cell[1]);

    public bool Contains(long key) => _entries.ContainsKey(key);

    public static long KeyOf(byte* entry) => MemoryMarshal.Read<long>(KeyedEntry.Key(entry));

    public void Insert(long key)
    {
        byte* entry = KeyedEntry.Create(Bytes(key));
        _entries.Add(key, (nint)entry);
        _indexes.Add(key, _keys.Count);
        _keys.Add(key);
        Table.Insert(Hash(key), entry);
    }

    /// <summary>Adds a key; where there is no memory for the table to grow, it is not added.</summary>
    public bool TryInsert(long key)
    {
        try
        {
            Insert(key);
            return true;
        }
        catch (OutOfMemoryException)
        {
            Forget(key);
            return false;
        }
    }

    public bool Remove(long key)
    {
        byte* entry = Table.Remove(Hash(key), Bytes(key));
        if (entry != (byte*)_entries.GetValueOrDefault(key))
            throw new InvalidOperationException($"the table removed another entry than that of {key}");
        if (entry == null)
            return false;
        Forget(key);
        return true;
    }

    /// <summary>Gives the key's entry another address.</summary>
    public void Reallocate(long key)
    {
        if (!Table.TryFind(Hash(key), Bytes(key), out SlotReference slot))
            throw new InvalidOperationException($"{key} is not in the table");
        byte* entry = KeyedEntry.Create(Bytes(key));
        Table.Replace(slot, entry);
        KeyedEntry.Free((byte*)_entries[key]);
        _entries[key] = (nint)entry;
    }

    /// <summary>The entry left the table by another way.</summary>
    public void Forget(long key)
    {
        KeyedEntry.Free((byte*)_entries[key]);
        _entries.Remove(key);
        int index = _indexes[key];
        _indexes[_keys[^1]] = index;
        _keys[index] = _keys[^1];
        _keys.RemoveAt(_keys.Count - 1);
        _indexes.Remove(key);
    }

    /// <summary>Passes a quiescent point, like a turn of a loop.</summary>
    public void Turn()
    {
        Quiescence.Enter(0);
        Quiescence.Exit(0);
        Quiescence.Poll();
    }

    /// <summary>A difference between table and set, or null.</summary>
    public string? FindFault()
    {
        if (Table.Count != _entries.Count)
            return $"count is {Table.Count}, should be {_entries.Count}";
        foreach ((long key, nint entry) in _entries)
        {
            if (Find(key) != (byte*)entry)
                return $"key {key} is not found";
            byte* slot = SegmentTable<KeyedEntry>.FindIn(Directory, Hash(key), Bytes(key));
            if (slot == null || SegmentTable<KeyedEntry>.EntryIn(slot) != (byte*)entry)
                return $"key {key} is not found from the published directory";
        }

        return null;
    }

    public void Dispose()
    {
        foreach (nint entry in _entries.Values)
            KeyedEntry.Free((byte*)entry);
        Table.Dispose();
        NativeMemory.Free(_cell);
        _pool.Dispose();
        string[] leaks = _pages.LeakReport();
        _pages.Dispose();
        if (leaks.Length != 0)
            throw new InvalidOperationException(string.Join('\n', leaks));
    }

    private static ReadOnlySpan<byte> Bytes(in long key) =>
        MemoryMarshal.AsBytes(new ReadOnlySpan<long>(in key));
}
