using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Memory;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Engine.Loops;

/// <summary>
/// The input side of a loop: the slab into which sockets are read, and the sessions' partial inputs.
/// </summary>
internal sealed unsafe class InputReceiver(BlockSource blocks, CountedMemory counted) : IDisposable
{
    private const int SlabSize = 256 * 1024;
    private const int ReceiveRoomMin = 16 * 1024;
    private const int ReceiveRoomMax = 64 * 1024;
    private const int Alignment = 64;

    // The scanner may read this many bytes after an input.
    private const int SlabAllocated = SlabSize + KnownHeads.BytesSeen;
    private const int PooledPartialCountMax = 16;

    private readonly BlockSource _blocks = blocks;
    private readonly CountedMemory _counted = counted;
    private readonly byte* _slab = (byte*)NativeMemory.AlignedAlloc(SlabAllocated, Alignment);
    private readonly Stack<PartialInput> _pool = new();
    private int _slabUsed;
    private TurnInput[] _inputs = new TurnInput[256];

    /// <summary>Inputs noted for the turn.</summary>
    public int Count { get; private set; }

    /// <summary>Whether a turn must run before more is received.</summary>
    public bool IsFull => SlabSize - _slabUsed < ReceiveRoomMin;

    public ref TurnInput this[int index] => ref _inputs[index];

    /// <summary>Where a session's next bytes belong, and how many fit there.</summary>
    public void Place(Session session, out byte* place, out int room)
    {
        Debug.Assert(!IsFull || session.Partial is not null, "a full slab is emptied by a turn first");
        if (session.Partial is not { } partial)
        {
            place = _slab + _slabUsed;
            room = Math.Min(ReceiveRoomMax, SlabSize - _slabUsed);
        }
        else if (partial.BigBytesLeft > 0)
        {
            place = partial.BigNext;
            room = partial.BigBytesLeft;
        }
        else
        {
            partial.EnsureRoom(ReceiveRoomMin);
            place = partial.Data + partial.Length;
            room = partial.Room;
        }
    }

    /// <summary>Takes bytes that were received where <see cref="Place"/> said.</summary>
    public void Note(Session session, int byteCount)
    {
        Debug.Assert(byteCount > 0, "a reception has bytes");
        if (session.Suspended is not null && session.Debugging is { IsActive: true } debug)
        {
            // The client debugs a script; the place is free again.
            Place(session, out byte* place, out _);
            debug.Feed(new ReadOnlySpan<byte>(place, byteCount));
            return;
        }

        if (session.Partial is not { } partial)
        {
            Debug.Assert(_slabUsed + byteCount <= SlabSize, "a reception fits where it was placed");
            // A suspended session's input waits; its transport may have received some already.
            if (session.Suspended is not null || session.IsReadingStopped)
                PartialOf(session).Append(_slab + _slabUsed, byteCount);
            else
                Add(new TurnInput { Session = session, Data = _slab + _slabUsed, Length = byteCount });
            _slabUsed += (byteCount + Alignment - 1) & -Alignment;
            return;
        }

        if (partial.BigBytesLeft > 0)
        {
            AdvanceBig(partial, byteCount);
            return;
        }

        Debug.Assert(byteCount <= partial.Room, "a reception fits where it was placed");
        partial.Length += byteCount;
        partial.BigBytesReceived = 0;
        if (session.Suspended is null && !session.IsReadingStopped && session.InputCount == 0)
            Add(new TurnInput { Session = session, IsPartial = true });
    }

    /// <summary>Copies bytes to where a session's next bytes belong: into a big argument's block
    /// first.</summary>
    public static void Feed(PartialInput partial, byte* data, int length)
    {
        int big = Math.Min(length, partial.BigBytesLeft);
        if (big > 0)
        {
            Buffer.MemoryCopy(data, partial.BigNext, partial.BigBytesLeft, big);
            AdvanceBig(partial, big);
        }

        partial.Append(data + big, length - big);
    }

    public void Add(in TurnInput input)
    {
        Debug.Assert(!input.IsPartial || input.Session.Partial is not null, "a partial input exists");
        Debug.Assert(input.Position == 0 && input.BatchedCount == 0, "a new input is not scanned yet");
        if (Count == _inputs.Length)
            Array.Resize(ref _inputs, 2 * Count);
        _inputs[Count++] = input;
        input.Session.InputCount++;
    }

    /// <summary>Drops the turn's inputs.</summary>
    public void Clear()
    {
        for (int index = 0; index < Count; index++)
            _inputs[index].Session.InputCount = 0;
        Array.Clear(_inputs, 0, Count);
        Count = 0;
        _slabUsed = 0;
    }

    /// <summary>The session's partial input; a new one if it has none.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public PartialInput PartialOf(Session session) =>
        session.Partial ??= _pool.Count > 0 ? _pool.Pop() : new PartialInput(_blocks, _counted);

    /// <summary>Takes a session's partial input and keeps it for reuse by another session.</summary>
    public void Recycle(Session session)
    {
        if (session.Partial is not { } partial)
            return;
        session.Partial = null;
        partial.Reset();
        if (_pool.Count < PooledPartialCountMax)
            _pool.Push(partial);
        else
            partial.Dispose();
    }

    /// <summary>
    /// Begins the reception of a big argument: its bytes go to their own block, the input ends before them.
    /// </summary>
    public void BeginBig(Session session, byte* command, in ScanResult result)
    {
        PartialInput partial = session.Partial!;
        Debug.Assert(partial.BigBytesLeft == 0, "a session receives one big argument at a time");
        Debug.Assert(result.BigAvailable < result.BigLength, "a big argument is incomplete");
        BlockRegion region = BlockRegion.Allocate(_blocks, result.BigLength);
        partial.AddRegion(region);
        // SAFETY: the scanner found BigAvailable bytes of the argument at BigOffset, fewer than its length.
        Buffer.MemoryCopy(command + result.BigOffset, region.Data, result.BigLength, result.BigAvailable);
        partial.BigNext = region.Data + result.BigAvailable;
        partial.BigBytesReceived = result.BigAvailable;
        partial.BigBytesLeft = result.BigLength - result.BigAvailable;
        // The argument's first bytes have been copied.
        partial.Shrink();
    }

    private static void AdvanceBig(PartialInput partial, int byteCount)
    {
        Debug.Assert(byteCount <= partial.BigBytesLeft, "no more bytes come than the argument lacks");
        partial.BigNext += byteCount;
        partial.BigBytesReceived += byteCount;
        partial.BigBytesLeft -= byteCount;
        if (partial.BigBytesLeft > 0)
            return;
        partial.State.CompleteBigArgument(partial.Arguments, partial.Regions[^1].Data);
        partial.Count();
    }

    public void Dispose()
    {
        foreach (PartialInput partial in _pool)
            partial.Dispose();
        NativeMemory.AlignedFree(_slab);
    }
}
