using System;
using System.Runtime.CompilerServices;
using Cinnabar.Keyspace.Hashes;
using Cinnabar.Structures;
using Cinnabar.Structures.Streams;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace;

// SAFETY: all below: `entry` is a live block of a stripe whose lock the caller holds, or one that no table
// points to any more.
/// <summary>What an entry's value holds outside of the entry, by encoding: a reference to a tree or
/// two.</summary>
internal static unsafe class EntryValue
{
    /// <summary>Whether the value holds anything outside of its entry.</summary>
    public static bool IsOutside(byte* entry) => KeyEntry.Encoding(entry)
        is KeyEncoding.Blocks or >= KeyEncoding.Quicklist and <= KeyEncoding.Stream;

    /// <summary>Gives the references up, before the entry is freed or gets another value.</summary>
    public static void Release(byte* entry, Keyspace keyspace)
    {
        byte* value = KeyEntry.Value(entry);
        switch (KeyEntry.Encoding(entry))
        {
            case KeyEncoding.Blocks:
                new EntryView(entry).BlockString.Release(keyspace.Blocks);
                break;
            case KeyEncoding.Quicklist:
                ListPages.FromAddress(Word(value, 0)).Release(keyspace.Trees);
                break;
            case KeyEncoding.HashTable:
                HashTree.Pages(entry).Release(keyspace.Trees);
                if (HashTree.HasDeadlines(entry))
                    HashTree.Deadlines(entry).Release(keyspace.Trees);
                break;
            case KeyEncoding.SkipList:
                SortedSetTree.FromAddresses(Word(value, 0), Word(value, 1)).Release(keyspace.Trees);
                break;
            case KeyEncoding.Stream:
                StreamTree.FromAddress(Word(value, 0)).Release(keyspace.Trees);
                break;
        }
    }

    /// <summary>Takes references for another entry with the same value.</summary>
    public static void Retain(byte* entry)
    {
        byte* value = KeyEntry.Value(entry);
        switch (KeyEntry.Encoding(entry))
        {
            case KeyEncoding.Blocks:
                new EntryView(entry).BlockString.Retain();
                break;
            case KeyEncoding.Quicklist:
                ListPages.FromAddress(Word(value, 0)).Retain();
                break;
            case KeyEncoding.HashTable:
                HashTree.Pages(entry).Retain();
                if (HashTree.HasDeadlines(entry))
                    HashTree.Deadlines(entry).Retain();
                break;
            case KeyEncoding.SkipList:
                SortedSetTree.FromAddresses(Word(value, 0), Word(value, 1)).Retain();
                break;
            case KeyEncoding.Stream:
                StreamTree.FromAddress(Word(value, 0)).Retain();
                break;
        }
    }

    /// <summary>Bytes that the value takes outside of its entry; what is shared counts in full.</summary>
    public static long MemoryBytes(byte* entry)
    {
        byte* value = KeyEntry.Value(entry);
        return KeyEntry.Encoding(entry) switch
        {
            KeyEncoding.Blocks => new EntryView(entry).BlockString.MemoryBytes,
            KeyEncoding.Quicklist => ListPages.FromAddress(Word(value, 0)).MemoryBytes,
            KeyEncoding.HashTable => HashTree.Pages(entry).MemoryBytes
                + (HashTree.HasDeadlines(entry) ? HashTree.Deadlines(entry).MemoryBytes : 0),
            KeyEncoding.SkipList =>
                SortedSetTree.FromAddresses(Word(value, 0), Word(value, 1)).MemoryBytes,
            KeyEncoding.Stream => StreamTree.FromAddress(Word(value, 0)).MemoryBytes,
            _ => 0,
        };
    }

    /// <summary>A word of a payload.</summary>
    public static nint Word(byte* payload, int index) =>
        Unsafe.ReadUnaligned<nint>(payload + (index * sizeof(nint)));

    /// <summary>Writes a word of a payload.</summary>
    public static void SetWord(byte* payload, int index, nint word) =>
        Unsafe.WriteUnaligned(payload + (index * sizeof(nint)), word);
}
