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
