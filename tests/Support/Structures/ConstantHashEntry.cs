using System;
using Cinnabar.Structures.Hashing;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Tests.Support.Structures;

/// <summary>Entries that all have the hash 7.</summary>
public readonly unsafe struct ConstantHashEntry : ITableEntry
{
    public static ulong Hash(byte* entry, in HashSeed seed) => 7;

    public static bool Matches(byte* entry, ReadOnlySpan<byte> key) => KeyedEntry.Matches(entry, key);
}
