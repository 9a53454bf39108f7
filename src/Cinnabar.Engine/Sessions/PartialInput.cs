// Input of a session that is not executed yet: half a command, or everything after a suspended command. It
// holds a growable native buffer, the scanner's state, the arguments found so far (as offsets, since the
// buffer moves) and the blocks of big arguments, which lie outside the buffer. It exists only while it holds
// input.
//
//   buffer:  [ *3 $3 SET $1 k $1000000 ][ CRLF ... ]         the big value's bytes go to a BlockRegion
//                                        ^ Length
//
// The arguments stay here until the command is complete: the cost of a reception depends only on its own
// bytes. Their number is always State.ArgumentsFound.

using Cinnabar.Memory;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Engine.Sessions;

/// <summary>Input of one session that waits for the rest of its command, or for its session to
/// resume.</summary>
/// <param name="blocks">The source of the blocks of big arguments.</param>
/// <param name="counted">Counts the buffer and the array of arguments.</param>
internal sealed unsafe class PartialInput(BlockSource blocks, CountedMemory counted) : IDisposable
{
    private const int CapacityMin = 1024;

    private const int KeptCapacityMax = 64 * 1024;

    private readonly BlockSource _blocks = blocks;
    private readonly CountedMemory _counted = counted;
    private long _countedBytes;
    private int _capacity;

    /// <summary>The scanner's state; a fresh one where the buffer begins with a whole command.</summary>
    public ScanState State;

    /// <summary>The buffer.</summary>
    public byte* Data { get; private set; }

    /// <summary>Bytes in the buffer.</summary>
    public int Length { get; set; }

    /// <summary>The arguments found so far.</summary>
    public ArgumentBuffer Arguments { get; } = new();

    /// <summary>Blocks of the half command's big arguments, in order.</summary>
    public List<BlockRegion> Regions { get; } = [];

    /// <summary>Bytes of these blocks. Any thread may look.</summary>
    public long RegionBytes { get; private set; }

    /// <summary>Bytes that are missing of the big argument that is being received; 0: there is
    /// none.</summary>
    public int BigBytesLeft { get; set; }

    /// <summary>Bytes received of the big argument that is being received, or that the last reception
    /// completed.</summary>
    public int BigBytesReceived { get; set; }

    /// <summary>Where its next byte goes.</summary>
    public byte* BigNext { get; set; }

    /// <summary>Bytes of the buffer and of the array of arguments; the blocks of big arguments are the key
    /// space's memory. Any thread may look.</summary>
    public long NativeBytes => _capacity + Arguments.MemoryUsage;

    /// <summary>Bytes received of the argument that is being received, and what is not scanned yet. Any
    /// thread may look.</summary>
    public long UnscannedBytes => Math.Max(0, Length - State.Position) + (long)BigBytesReceived;

    /// <summary>Bytes that the arguments found so far take. Any thread may look.</summary>
    public long ArgumentBytes
    {
        get
        {
            long found = State.ArgumentsFound > 0 ? State.Position : 0;
            long unfinished = BigBytesReceived > 0 ? BigBytesReceived + (long)BigBytesLeft : 0;
            return Arguments.MemoryUsage + found + Math.Max(0, RegionBytes - unfinished);
        }
    }

    /// <summary>Bytes of room after the buffer's content.</summary>
    public int Room => _capacity - Length;

    /// <summary>Makes room for this many more bytes.</summary>
    public void EnsureRoom(int byteCount)
    {
        Debug.Assert(byteCount >= 0, "room is asked for in bytes");
        if (Room >= byteCount)
            return;
        long wanted = Math.Max(Math.Max(CapacityMin, 2L * _capacity), (long)Length + byteCount);
        int capacity = (int)Math.Min(wanted, Array.MaxLength);
        Data = (byte*)NativeMemory.Realloc(Data, (nuint)capacity);
        _capacity = capacity;
        Count();
    }

    public void Append(byte* data, int length)
    {
        EnsureRoom(length);
        new ReadOnlySpan<byte>(data, length).CopyTo(new Span<byte>(Data + Length, length));
        Length += length;
    }

    /// <summary>Counts a change of its native memory; to be called after the array of arguments may have
    /// grown.</summary>
    public void Count()
    {
        long bytes = NativeBytes;
        if (bytes == _countedBytes)
            return;
        _counted.Add(bytes - _countedBytes);
        _countedBytes = bytes;
    }

    /// <summary>Gives up a room that has become large, since a big argument's bytes go elsewhere.</summary>
    public void Shrink()
    {
        int capacity = Math.Max(CapacityMin, Length);
        if (_capacity <= 2 * capacity)
            return;
        Data = (byte*)NativeMemory.Realloc(Data, (nuint)capacity);
        _capacity = capacity;
        Count();
    }

    /// <summary>Drops bytes from the front.</summary>
    public void RemoveFront(int byteCount)
    {
        Debug.Assert((uint)byteCount <= (uint)Length, "no more bytes are dropped than there are");
        if (byteCount == 0)
            return;
        Length -= byteCount;
        new ReadOnlySpan<byte>(Data + byteCount, Length).CopyTo(new Span<byte>(Data, Length));
    }

    /// <summary>Adds the block of a big argument.</summary>
    public void AddRegion(BlockRegion region)
    {
        Debug.Assert(State.ArgumentsLeft > 0, "a big argument belongs to a half command");
        Regions.Add(region);
        RegionBytes += region.Capacity;
    }

    /// <summary>Hands the blocks of big arguments over.</summary>
    public void MoveRegionsTo(List<BlockRegion> target)
    {
        target.AddRange(Regions);
        Regions.Clear();
        RegionBytes = 0;
        BigBytesReceived = 0;
    }

    /// <summary>Frees the blocks of big arguments that no command has taken.</summary>
    public void ReleaseRegions()
    {
        foreach (BlockRegion region in Regions)
            region.Release(_blocks);
        Regions.Clear();
        RegionBytes = 0;
        BigBytesLeft = 0;
        BigBytesReceived = 0;
    }

    /// <summary>Empties it; memory of unusual size is freed.</summary>
    public void Reset()
    {
        ReleaseRegions();
        Arguments.Clear();
        State = default;
        Length = 0;
        if (_capacity > KeptCapacityMax)
        {
            NativeMemory.Free(Data);
            Data = null;
            _capacity = 0;
        }

        Count();
    }

    public void Dispose()
    {
        ReleaseRegions();
        Arguments.Dispose();
        NativeMemory.Free(Data);
        Data = null;
        _capacity = 0;
        Length = 0;
        Count();
    }
}
