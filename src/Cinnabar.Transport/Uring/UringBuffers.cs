// The buffers into which the kernel receives: it takes one when bytes have come, not when the receive begins,
// so ten thousand idle connections use none. A buffer goes back to the kernel as soon as its bytes have been
// copied to where they belong, always before the loop looks at the next completion.
//
//   entries   | 0: address, length, id, tail | 1 … | …   the ring; its tail is in what entry 0 does not use
//   buffers   | 0 | pad | 1 | pad | …
//
// The pads keep the first bytes of all buffers from falling into the same few lines of a processor's cache.

using System.ComponentModel;
using System.Runtime.Versioning;

namespace Cinnabar.Transport.Uring;

/// <summary>The buffers that a ring's receives use.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class UringBuffers : IDisposable
{
    /// <summary>The number of this group of buffers in its ring.</summary>
    public const int Group = 0;

    private const int PageSize = 4096;
    private const int Pad = 64;

    private readonly int _count;
    private readonly int _size;
    private UringBuffer* _entries;
    private byte* _buffers;
    private ushort _tail;

    /// <summary>Makes the memory of them; <see cref="TryRegister"/> gives them to a ring.</summary>
    public UringBuffers(UringSizes sizes)
    {
        Debug.Assert(BitOperations.IsPow2(sizes.BufferCount), "the ring wraps by a mask");
        (_count, _size) = (sizes.BufferCount, sizes.BufferSize);
        // SAFETY: both blocks live until Dispose, which is called when the ring touches no memory.
        _entries = (UringBuffer*)NativeMemory.AlignedAlloc(
            (nuint)(_count * sizeof(UringBuffer)), PageSize);
        _buffers = (byte*)NativeMemory.AlignedAlloc((nuint)_count * (nuint)(_size + Pad), PageSize);
        NativeMemory.Clear(_entries, (nuint)(_count * sizeof(UringBuffer)));
    }

    /// <summary>Gives them to a ring.</summary>
    /// <returns>0, or an error: a number of errno.</returns>
    public int TryRegister(UringKernel kernel, int ring)
    {
        var registration = new UringBufferRegistration
        {
            Address = (ulong)_entries,
            Count = (uint)_count,
            Group = Group,
        };
        int error = -kernel.Register(ring, UringCalls.RegisterBuffers, &registration, 1);
        for (int id = 0; error == 0 && id < _count; id++)
            Return(id);
        return error;
    }

    /// <summary>The bytes of a buffer.</summary>
    public byte* At(int id)
    {
        Debug.Assert(id >= 0 && id < _count, "the kernel uses the buffers that it was given");
        return _buffers + ((nint)id * (_size + Pad));
    }

    /// <summary>Gives a buffer back to the kernel.</summary>
    public void Return(int id)
    {
        UringBuffer* entry = _entries + (_tail & (_count - 1));
        entry->Address = (ulong)At(id);
        entry->Length = (uint)_size;
        entry->Id = (ushort)id;
        _tail++;
        // ORDER: the entry is written before the tail shows it to the kernel.
        Volatile.Write(ref _entries->Tail, _tail);
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_entries);
        NativeMemory.AlignedFree(_buffers);
        _entries = null;
        _buffers = null;
    }
}
