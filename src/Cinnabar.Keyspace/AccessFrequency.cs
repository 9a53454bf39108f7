// How often keys are used, under the LFU policies: Redis's scale, in the 24 bits that otherwise say when a
// key was used last (KeyEntry):
//
//   | minute of the last use, 16 bits | count, 8 bits |
//
// The count is a logarithm: a use raises it with a probability that falls with its height (1 in (count - 5) x
// factor + 1), so that 255 stands for a million uses or so. A new key begins at 5, or it would be evicted
// before any client could use it. With each period that passes without a use the count falls by one.
//
// Source: the documentation of Redis, "Key eviction". What goes by the counts: OBJECT FREQ
// and the eviction of keys (Eviction/EvictionScore).

using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Counts uses of keys. Immutable; any thread.</summary>
/// <param name="logFactor"><c>lfu-log-factor</c>: the higher, the more uses a step of the count
/// takes.</param>
/// <param name="decayMinutes"><c>lfu-decay-time</c>: minutes a step down; 0: counts never fall.</param>
public sealed unsafe class AccessFrequency(int logFactor, int decayMinutes)
{
    private const uint InitialCount = 5;
    private const uint CountMax = 255;
    private const int CountBits = 8;
    private const ulong ChanceStep = 0x9E3779B97F4A7C15;

    /// <summary>The count of a key now.</summary>
    public int Count(EntryView entry, long nowMs) => (int)Fallen(entry.AccessClock, nowMs);

    /// <summary>What a new key begins with.</summary>
    internal static uint Initial(long nowMs) => (Minute(nowMs) << CountBits) | InitialCount;

    /// <summary>The word of a key with this count.</summary>
    internal static uint Restored(long nowMs, int count) =>
        (Minute(nowMs) << CountBits) | Math.Min((uint)count, CountMax);

    /// <summary>Counts a use.</summary>
    // SAFETY: `entry` is a live block of a stripe whose lock the caller holds.
    internal void Use(byte* entry, KeyspaceAccess access)
    {
        uint count = Fallen(KeyEntry.AccessClock(entry), access.NowMs);
        if (count < CountMax)
        {
            double height = Math.Max((int)(count - InitialCount), 0);
            count += Chance(ref access.ChanceState) * ((height * logFactor) + 1) < 1 ? 1u : 0;
        }

        KeyEntry.SetAccessClock(entry, (Minute(access.NowMs) << CountBits) | count);
    }

    private static uint Minute(long nowMs) => (uint)(nowMs / 60_000) & 0xFFFF;

    private uint Fallen(uint word, long nowMs)
    {
        uint count = word & CountMax;
        uint minutes = (Minute(nowMs) - (word >> CountBits)) & 0xFFFF;
        uint steps = decayMinutes == 0 ? 0 : minutes / (uint)decayMinutes;
        return count - Math.Min(steps, count);
    }

    // The generator SplitMix64 (Steele, Lea, Flood): one word of state is enough here.
    private static double Chance(ref ulong state)
    {
        ulong mixed = state += ChanceStep;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        return ((mixed ^ (mixed >> 31)) >> 11) * (1.0 / (1UL << 53));
    }
}
