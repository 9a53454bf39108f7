using Cinnabar.Structures.Blocks;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Entries;

/// <summary>An entry without a name, of no table: where a value is built that belongs to no key yet, and
/// which is used again.</summary>
// SAFETY: the array is pinned, and everything stays within its length.
internal sealed unsafe class DetachedEntry
{
    private const int CapacityMin = 1024;

    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(CapacityMin, pinned: true);

    /// <summary>Makes an entry of a string without bytes.</summary>
    public DetachedEntry() => Begin(KeyType.String, KeyEncoding.Raw, 0);

    /// <summary>The entry. Moves with <see cref="Resize"/>.</summary>
    public byte* Entry => (byte*)Unsafe.AsPointer(ref _bytes[0]);

    /// <summary>How the value is stored.</summary>
    public KeyEncoding Encoding => KeyEntry.Encoding(Entry);

    /// <summary>Bytes of the payload.</summary>
    public int Size => KeyEntry.InlineLength(Entry);

    /// <summary>The payload. Moves with <see cref="Resize"/>.</summary>
    public byte* Payload => Entry + KeyEntry.HeaderSize;

    /// <summary>Begins another value, whose payload is undefined.</summary>
    public byte* Begin(KeyType type, KeyEncoding encoding, int size)
    {
        KeyEntry.Initialize(Entry, type, encoding, default, deadlineMs: -1);
        return Resize(size, encoding);
    }

    /// <summary>Gives the payload another size and encoding; as much of its contents as fits
    /// stays.</summary>
    public byte* Resize(int size, KeyEncoding encoding)
    {
        Debug.Assert(size is >= 0 and <= KeyEntry.InlineValueLengthMax, "too much for an entry");
        int needed = KeyEntry.HeaderSize + size;
        if (needed > _bytes.Length)
        {
            byte[] bytes = GC.AllocateUninitializedArray<byte>(
                Math.Max(needed, 2 * _bytes.Length), pinned: true);
            _bytes.CopyTo(bytes, 0);
            _bytes = bytes;
        }

        KeyEntry.SetInlineLength(Entry, size);
        KeyEntry.SetEncoding(Entry, encoding);
        return Payload;
    }

    /// <summary>Gives up what lies outside of the entry, and the value.</summary>
    public void Release(BlockSource blocks, TreeSource trees)
    {
        EntryValue.Release(Entry, blocks, trees);
        Forget();
    }

    /// <summary>The value is another entry's now.</summary>
    public void Forget() => Begin(KeyType.String, KeyEncoding.Raw, 0);
}
