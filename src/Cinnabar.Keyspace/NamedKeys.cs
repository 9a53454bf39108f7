using System;
using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Keyspace;

/// <summary>Keys that are no arguments of their command.</summary>
public static unsafe class NamedKeys
{
    /// <summary>As <see cref="KeyspaceAccess.Find"/>, for a key whose name a command has put together; its
    /// stripe is locked.</summary>
    public static EntryView FindNamed(this KeyspaceAccess keys, scoped ReadOnlySpan<byte> name)
    {
        // SAFETY: an entry has a copy of its name, so the view outlives this one.
        fixed (byte* data = name)
            return keys.Find(new Key(data, name.Length, keys.Keyspace.Hash(name)));
    }

    /// <summary>As <see cref="HashStore.RemoveIfDue"/>, for such a key.</summary>
    public static void RemoveFieldIfDue(
        this KeyspaceAccess keys, scoped ReadOnlySpan<byte> name, ReadOnlySpan<byte> field)
    {
        // SAFETY: the key is used only while its bytes are pinned.
        fixed (byte* data = name)
            HashStore.RemoveIfDue(keys, new Key(data, name.Length, keys.Keyspace.Hash(name)), field);
    }
}
