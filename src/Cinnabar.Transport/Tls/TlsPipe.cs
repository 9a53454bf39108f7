// The encrypted bytes of the connection that a thread is working on. A thread has one pipe for all its
// connections:
//
//   socket ──► InputRoom ──► Buffers.Input ──► engine ──► the loop's place
//   socket ◄────────────── Buffers.Output ◄── engine ◄── the loop's segments (small ones by Gather)
//
// Between two calls of a connection both directions are empty: what was received and not decrypted, and what
// the socket did not take, moves to a block of the connection (TlsConnection). So ten thousand idle
// connections have no buffers.

namespace Cinnabar.Transport.Tls;

/// <summary>The buffers that a thread's TLS connections share. One thread at a time uses them.</summary>
internal sealed unsafe class TlsPipe : IDisposable
{
    /// <summary>Most plain bytes of a record.</summary>
    public const int RecordPlainMax = 16 * 1024;

    /// <summary>Most bytes that are received at once.</summary>
    public const int InputSize = 64 * 1024;

    private const int RecordOverheadMax = 512;
    private const int RecordCountMax = 4;
    private const int OutputSize = RecordCountMax * (RecordPlainMax + RecordOverheadMax);
    private const int Alignment = 64;
    private const int Size = InputSize + OutputSize + RecordPlainMax;

    private readonly byte* _block = (byte*)NativeMemory.AlignedAlloc(Size, Alignment);

    /// <summary>Makes empty buffers.</summary>
    public TlsPipe()
    {
        // SAFETY: both blocks live as long as this object; the output lies behind the input in one of them.
        Buffers = (TlsBuffers*)NativeMemory.AllocZeroed((nuint)sizeof(TlsBuffers));
        Buffers->Output = _block + InputSize;
        Buffers->OutputSize = OutputSize;
    }

    ~TlsPipe() => Free();

    /// <summary>What engines read and write.</summary>
    public TlsBuffers* Buffers { get; private set; }

    /// <summary>Where the socket's bytes are received.</summary>
    public byte* InputRoom => _block;

    /// <summary>Where small segments are put together; <see cref="RecordPlainMax"/> bytes.</summary>
    public byte* Gather => _block + InputSize + OutputSize;

    /// <summary>Whether another record of any size fits into the output.</summary>
    public bool HasRoomForRecord => OutputSize - Buffers->OutputLength >= RecordPlainMax + RecordOverheadMax;

    /// <summary>What engines of this pipe's thread share beside the buffers, by their kind.</summary>
    public IDisposable? Shared { get; set; }

    public void Dispose()
    {
        Shared?.Dispose();
        Shared = null;
        Free();
        GC.SuppressFinalize(this);
    }

    private void Free()
    {
        if (Buffers is null)
            return;
        NativeMemory.Free(Buffers);
        Buffers = null;
        NativeMemory.AlignedFree(_block);
    }
}
