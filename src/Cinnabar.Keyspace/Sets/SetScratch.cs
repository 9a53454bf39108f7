using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Keyspace.Sets;

/// <summary>Where a set is built that belongs to no key yet: an entry's payload without an entry.</summary>
// SAFETY: the array is pinned, and everything stays within its length.
internal sealed unsafe class SetScratch
{
    private const int CapacityMin = 1024;

    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(CapacityMin, pinned: true);

    /// <summary>How the set is stored.</summary>
    public KeyEncoding Encoding { get; private set; }

    /// <summary>Bytes of the payload.</summary>
    public int Size { get; private set; }

    /// <summary>The payload. Moves with <see cref="Resize"/>.</summary>
    public byte* Payload => (byte*)Unsafe.AsPointer(ref _bytes[0]);

    /// <summary>Gives the payload another size and encoding; as much of its contents as fits
    /// stays.</summary>
    public byte* Resize(int size, KeyEncoding encoding)
    {
        if (size > _bytes.Length)
        {
            byte[] bytes = GC.AllocateUninitializedArray<byte>(
                Math.Max(size, 2 * _bytes.Length), pinned: true);
            _bytes.AsSpan(0, Size).CopyTo(bytes);
            _bytes = bytes;
        }

        Size = size;
        Encoding = encoding;
        return Payload;
    }
}
