// A block is a piece of the file in native memory, with a list of the whole keys in it. What is behind its
// last whole item is read once more, as the beginning of the next block.
//
//   Data   0 ........................ Used ........ Length ........ Capacity
//          whole items                cut off       not read yet
//
// The key that does not fit makes its block grow, so that a value lies in one piece, as its decoder wants it.
// A value must therefore be below 2 GB as it is written.

using System.IO;
using Cinnabar.Platform.Files;

namespace Cinnabar.Persistence.Rdb.Loading;

/// <summary>A piece of a file on its way from the scanner to a worker; one of them has it at a
/// time.</summary>
internal sealed unsafe class RdbBlock : IDisposable
{
    /// <summary>The most bytes of a block.</summary>
    public const int CapacityMax = int.MaxValue - 4096;

    private byte* _data;

    /// <param name="capacity">How many bytes it has at first.</param>
    public RdbBlock(int capacity)
    {
        _data = (byte*)NativeMemory.Alloc((nuint)capacity);
        Capacity = capacity;
    }

    /// <summary>The bytes.</summary>
    public byte* Data => _data;

    /// <summary>Room for bytes.</summary>
    public int Capacity { get; private set; }

    /// <summary>How many bytes were read.</summary>
    public int Length { get; private set; }

    /// <summary>How many of them are whole items.</summary>
    public int Used { get; set; }

    /// <summary>The offset in the file of the first.</summary>
    public long Offset { get; private set; }

    /// <summary>The keys among the items.</summary>
    public List<RdbLoadEntry> Entries { get; } = [];

    /// <summary>The bytes that were read.</summary>
    // SAFETY: they are as many, and the block is not disposed while it is used.
    public ReadOnlySpan<byte> Bytes => new(_data, Length);

    /// <summary>Becomes empty, at an offset of the file.</summary>
    /// <param name="offset">The offset.</param>
    /// <param name="capacity">How many bytes to have.</param>
    public void Begin(long offset, int capacity)
    {
        Entries.Clear();
        if (Capacity != capacity)
            Resize(capacity);
        (Length, Used, Offset) = (0, 0, offset);
    }

    /// <summary>Reads more of the file, until the block is full or the file ends.</summary>
    /// <returns>False: the file has ended before.</returns>
    public bool Read(StoredFile file)
    {
        int before = Length;
        while (Length < Capacity)
        {
            int count = file.Read(Offset + Length, new Span<byte>(_data + Length, Capacity - Length));
            if (count == 0)
                break;
            Length += count;
        }

        return Length > before;
    }

    /// <summary>Drops the keys behind the whole items.</summary>
    public void DropCutEntries()
    {
        while (Entries.Count > 0 && Entries[^1].NamePosition > Used)
            Entries.RemoveAt(Entries.Count - 1);
    }

    /// <summary>Makes room for as many bytes.</summary>
    /// <exception cref="IOException">The block has the most bytes already.</exception>
    public void Reserve(long capacity)
    {
        if (capacity <= Capacity)
            return;
        if (Capacity == CapacityMax)
            throw new IOException($"A key at offset {Offset + Used} takes more than 2 GB of the file.");
        Resize((int)Math.Min(capacity, CapacityMax));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(_data);
        _data = null;
    }

    private void Resize(int capacity)
    {
        _data = (byte*)NativeMemory.Realloc(_data, (nuint)capacity);
        Capacity = capacity;
    }
}
