// The scripts that EVALSHA finds, by the SHA-1 of their text. Of those that came by EVAL the 500 that were
// used last stay: clients that make a text of their own for each call would fill the memory otherwise.
// A script that SCRIPT LOAD has brought, or that it has named after an EVAL, is pinned: it stays until SCRIPT
// FLUSH.
//
// Every loop reads without a lock. A use is noted by its time, so a new script beyond the limit makes the
// cache look through the 500 for the oldest: that costs less than the script's compilation.
//
// EVALSHA is looked up twice, for its stripes and to run. Each loop remembers the scripts that it has found
// last, at a place that the name gives: a comparison of 40 bytes instead of a dictionary.

using System.Collections.Concurrent;
using Cinnabar.Lua.Values;
using Cinnabar.Memory;

namespace Cinnabar.Engine.Scripts;

/// <summary>The scripts of a server. Any thread.</summary>
/// <param name="loopCount">The number of its loops.</param>
/// <param name="records">Counts what they take.</param>
internal sealed class ScriptCache(int loopCount, CountedMemory records)
{
    /// <summary>The most scripts that are kept without SCRIPT LOAD.</summary>
    public const int EvalCountMax = 500;

    // A power of two.
    private const int RecentCount = 16;

    private readonly ConcurrentDictionary<ScriptDigest, Script> _scripts = [];
    private readonly Script?[] _recent = new Script?[loopCount * RecentCount];
    private readonly List<Script> _unpinned = [];
    private readonly CountedMemory _records = records;
    private readonly Lock _lock = new();
    private long _evictedCount;
    private long _memoryBytes;

    /// <summary>Shares the strings of scripts.</summary>
    public LuaStringPool Strings { get; } = new();

    /// <summary>The name of each script's chunk.</summary>
    public LuaString ChunkName { get; } = LuaString.From(Script.ChunkName);

    /// <summary>The scripts of the moment.</summary>
    public IEnumerable<Script> All => _scripts.Values;

    /// <summary>Number of scripts.</summary>
    public int Count => _scripts.Count;

    /// <summary>About how many bytes they take.</summary>
    public long MemoryBytes => Volatile.Read(ref _memoryBytes);

    /// <summary>Scripts that gave way to newer ones.</summary>
    public long EvictedCount => Volatile.Read(ref _evictedCount);

    /// <summary>Finds a script; null: there is none.</summary>
    public Script? Find(in ScriptDigest digest) =>
        _scripts.TryGetValue(digest, out Script? script) ? script : null;

    /// <summary>Finds the script that a client names; null: there is none.</summary>
    /// <param name="name">The text of its digest.</param>
    /// <param name="loop">The loop that looks.</param>
    public Script? Find(ReadOnlySpan<byte> name, int loop)
    {
        if (name.Length != ScriptDigest.TextLength)
            return null;
        // The low bits of a digit tell it from most others.
        int place = ((name[0] << 1) ^ name[1]) & (RecentCount - 1);
        ref Script? recent = ref _recent[(loop * RecentCount) + place];
        if (recent is { IsCached: true } known && known.NameBytes.SequenceEqual(name))
            return known;
        return ScriptDigest.TryParse(name, out ScriptDigest digest) && Find(in digest) is { } found
            ? recent = found : null;
    }

    /// <summary>Keeps a script, unless there is one of its text.</summary>
    /// <returns>The script that is kept.</returns>
    public Script Add(Script script, bool isPinned)
    {
        lock (_lock)
        {
            if (Find(script.Digest) is { } known)
            {
                Pin(known, isPinned);
                return known;
            }

            script.IsPinned = isPinned;
            if (!isPinned)
                MakeRoom(script);
            script.IsCached = true;
            _scripts[script.Digest] = script;
            AddBytes(script.MemoryBytes);
            return script;
        }
    }

    /// <summary>Keeps a known script until SCRIPT FLUSH.</summary>
    public void Pin(Script script)
    {
        lock (_lock)
            Pin(script, isPinned: true);
    }

    /// <summary>Forgets all scripts.</summary>
    public void Clear()
    {
        lock (_lock)
        {
            foreach (Script script in _scripts.Values)
                script.IsCached = false;
            _scripts.Clear();
            Array.Clear(_recent);
            _unpinned.Clear();
            AddBytes(-_memoryBytes);
        }
    }

    /// <summary>CONFIG RESETSTAT.</summary>
    public void ResetStatistics()
    {
        Volatile.Write(ref _evictedCount, 0);
        foreach (Script script in All)
            script.ResetCounters();
    }

    private void Pin(Script script, bool isPinned)
    {
        if (!isPinned || script.IsPinned)
            return;
        script.IsPinned = true;
        _unpinned.Remove(script);
    }

    private void AddBytes(long bytes)
    {
        _memoryBytes += bytes;
        _records.Add(bytes);
    }

    private void MakeRoom(Script script)
    {
        if (_unpinned.Count < EvalCountMax)
        {
            _unpinned.Add(script);
            return;
        }

        int oldest = 0;
        for (int index = 1; index < _unpinned.Count; index++)
        {
            if (_unpinned[index].UsedNs < _unpinned[oldest].UsedNs)
                oldest = index;
        }

        _unpinned[oldest].IsCached = false;
        _scripts.TryRemove(_unpinned[oldest].Digest, out _);
        AddBytes(-_unpinned[oldest].MemoryBytes);
        _unpinned[oldest] = script;
        _evictedCount++;
    }
}
