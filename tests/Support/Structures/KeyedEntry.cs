using System;
using System.Runtime.InteropServices;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Tests.Support.Structures;

/// <summary>The smallest entry a table can hold: 4 bytes length, then the key.</summary>
public readonly unsafe struct KeyedEntry : ITableEntry
{
    public static ulong Hash(byte* entry, in HashSeed seed) => SipHash.Hash(Key(entry), seed);

    public static bool Matches(byte* entry, ReadOnlySpan<byte> key) => Key(entry).SequenceEqual(key);

    public static ReadOnlySpan<byte> Key(byte* entry) => new(entry + sizeof(int), *(int*)entry);

    /// <summary>An entry of exactly its size, so that a checked allocator would see every byte too
    /// many.</summary>
    public static byte* Create(ReadOnlySpan<byte> key)
    {
        byte* entry = (byte*)NativeMemory.Alloc((nuint)(sizeof(int) + key.Length));
        *(int*)entry = key.Length;
        key.CopyTo(new Span<byte>(entry + sizeof(int), key.Length));
        return entry;
    }

    public static void Free(byte* entry) => NativeMemory.Free(entry);
}
