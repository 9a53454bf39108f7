using Cinnabar.Keyspace.Candidates;
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace;

/// <summary>Notes in an entry that its key was used: when, or, where a policy goes by that, how
/// often.</summary>
// SAFETY: `entry` is a live block of a stripe whose lock the caller holds.
internal static unsafe class AccessNote
{
    /// <summary>What the access clock of a new key says.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Initial(KeyspaceAccess access) =>
        access.Keyspace.Frequency is null ? access.ClockSeconds : AccessFrequency.Initial(access.NowMs);

    /// <summary>What the access clock of a key says that was last used some time ago, or that often: as its
    /// dump says, where the policy goes by that.</summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="idleSeconds">Seconds since the last use; negative: not known.</param>
    /// <param name="frequency">The count of its uses (<see cref="AccessFrequency"/>); negative: not
    /// known.</param>
    internal static uint Restored(KeyspaceAccess access, long idleSeconds, int frequency)
    {
        if (access.Keyspace.Frequency is not null)
            return frequency < 0 ? Initial(access) : AccessFrequency.Restored(access.NowMs, frequency);
        return idleSeconds < 0 ? Initial(access) : (access.ClockSeconds - (uint)idleSeconds) & 0xFFFFFF;
    }

    /// <summary>A key is read: under a policy that goes by changes alone, that counts for nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Read(KeyspaceAccess access, byte* entry)
    {
        if (access.Keyspace.EvictionPolicy.Order != EvictionOrder.LeastRecentlyModified)
            Use(access, entry);
    }

    /// <summary>A key is used.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Use(KeyspaceAccess access, byte* entry)
    {
        if (access.Keyspace.Frequency is { } frequency)
            frequency.Use(entry, access);
        else
            KeyEntry.SetAccessClock(entry, access.ClockSeconds);
    }
}
