// Elements of a collection, copied out of it so that they can be ordered: their bytes lie one behind the
// other in a few big pieces, each element is known by its index. Copying costs little beside a sort, and what
// was copied stays valid when the collection is changed or replaced, as SORT with STORE does.
//
//     _chunks   [ aab bbbb c .. ] [ dddddd .. ] [ one long element ]
//     _places   (0, 0, 3) (0, 3, 4) (0, 7, 1) (1, 0, 6) (2, 0, n)
//
// A chunk is twice as large as the one before, up to a megabyte, and an element that is
// longer has one for itself.
using Cinnabar.Memory;

namespace Cinnabar.Commands.Sorting;

/// <summary>A growing sequence of byte strings in memory of its own. Copies share the memory: one of them is
/// disposed of, once.</summary>
/// <param name="pool">Where its memory is from.</param>
internal struct ByteStrings(ScratchPool pool) : IDisposable
{
    private const int FirstChunkSize = 1 << 12;
    private const int ChunkSizeMax = 1 << 20;
    private const int FirstCapacity = 64;
    private const int MissingLength = -1;

    private readonly ScratchPool _pool = pool;
    private Scratch<byte>[] _chunks = [];
    private Scratch<Place> _places;
    private int _chunkCount;
    private int _used;

    /// <summary>Number of strings.</summary>
    public int Count { get; private set; }

    /// <summary>The bytes of a string; none of a missing one.</summary>
    public readonly ReadOnlySpan<byte> this[int index]
    {
        get
        {
            Debug.Assert((uint)index < (uint)Count, "no such string");
            Place place = _places.Span[index];
            return place.Length < 0
                ? default
                : _chunks[place.Chunk].Span.Slice(place.Offset, place.Length);
        }
    }

    /// <summary>Appends a string.</summary>
    public void Add(scoped ReadOnlySpan<byte> bytes) => bytes.CopyTo(Add(bytes.Length));

    /// <summary>Appends a string of a length, to be written by the caller.</summary>
    public Span<byte> Add(int length)
    {
        Debug.Assert(length >= 0, "a string of no length");
        if (_chunkCount == 0 || _chunks[_chunkCount - 1].Length - _used < length)
            AddChunk(length);
        Add(new Place(_chunkCount - 1, _used, length));
        Span<byte> target = _chunks[_chunkCount - 1].Span.Slice(_used, length);
        _used += length;
        return target;
    }

    /// <summary>Appends a string that is missing: less than all others.</summary>
    public void AddMissing() => Add(new Place(0, 0, MissingLength));

    /// <summary>Whether a string is missing.</summary>
    public readonly bool IsMissing(int index) => _places.Span[index].Length < 0;

    /// <summary>Compares two strings as bytes; of two that begin alike the shorter is less.</summary>
    public readonly int Compare(int left, int right)
    {
        Debug.Assert((uint)left < (uint)Count && (uint)right < (uint)Count, "no such string");
        bool isLeftThere = _places.Span[left].Length >= 0;
        bool isRightThere = _places.Span[right].Length >= 0;
        return isLeftThere && isRightThere
            ? this[left].SequenceCompareTo(this[right])
            : isLeftThere.CompareTo(isRightThere);
    }

    /// <summary>Gives the memory back.</summary>
    public void Dispose()
    {
        for (int chunk = 0; chunk < _chunkCount; chunk++)
            _chunks[chunk].Dispose();
        _places.Dispose();
        this = new ByteStrings(_pool);
    }

    private void Add(Place place)
    {
        if (Count == _places.Length)
            GrowPlaces();
        _places.Span[Count++] = place;
    }

    private void AddChunk(int length)
    {
        int size = FirstChunkSize;
        if (_chunkCount > 0)
            size = Math.Min(_chunks[_chunkCount - 1].Length * 2, ChunkSizeMax);
        if (_chunkCount == _chunks.Length)
            Array.Resize(ref _chunks, Math.Max(4, _chunkCount * 2));
        _chunks[_chunkCount++] = new Scratch<byte>(_pool, Math.Max(size, length));
        _used = 0;
    }

    private void GrowPlaces()
    {
        var places = new Scratch<Place>(_pool, Math.Max(FirstCapacity, Count * 2));
        _places.Span[..Count].CopyTo(places.Span);
        _places.Dispose();
        _places = places;
    }

    private readonly record struct Place(int Chunk, int Offset, int Length);
}
