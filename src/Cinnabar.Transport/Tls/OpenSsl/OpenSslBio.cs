// The stream of bytes below OpenSSL's connections: it reads and writes the buffers of a pipe, in place. A
// pipe has one for all its connections, which share it by OpenSSL's count of references; so it outlives the
// pipe where a connection does. Nothing is read or written through it then.

namespace Cinnabar.Transport.Tls.OpenSsl;

/// <summary>A pipe's buffers as OpenSSL's <c>BIO</c>.</summary>
internal sealed unsafe class OpenSslBio : IDisposable
{
    private const int RetryFlags = CryptoCalls.BioFlagRead | CryptoCalls.BioFlagWrite
        | CryptoCalls.BioFlagRetry;

    private nint _bio;

    private OpenSslBio(nint method, TlsBuffers* buffers)
    {
        _bio = CryptoCalls.BioNew(method);
        if (_bio == 0)
            throw new OutOfMemoryException();
        CryptoCalls.BioSetData(_bio, buffers);
        CryptoCalls.BioSetReady(_bio, 1);
    }

    /// <summary>The stream of a pipe; made at its first use.</summary>
    /// <param name="pipe">The pipe.</param>
    /// <param name="method">The kind of stream, of <see cref="MakeMethod"/>.</param>
    public static OpenSslBio Of(TlsPipe pipe, nint method) =>
        (OpenSslBio)(pipe.Shared ??= new OpenSslBio(method, pipe.Buffers));

    /// <summary>Makes the kind of stream. It must outlive its streams: it is never freed.</summary>
    public static nint MakeMethod()
    {
        fixed (byte* name = "cinnabar\0"u8)
        {
            int type = CryptoCalls.BioNewIndex() | CryptoCalls.BioTypeSource;
            nint method = CryptoCalls.BioMethodNew(type, name);
            if (method == 0)
                throw new OutOfMemoryException();
            CryptoCalls.BioMethodSetRead(method, &Read);
            CryptoCalls.BioMethodSetWrite(method, &Write);
            CryptoCalls.BioMethodSetControl(method, &Control);
            return method;
        }
    }

    /// <summary>Has a connection use the stream.</summary>
    public void GiveTo(nint ssl)
    {
        // The connection drops one reference for both directions.
        CryptoCalls.BioAddReference(_bio);
        OpenSslCalls.SetBio(ssl, _bio, _bio);
    }

    public void Dispose()
    {
        if (_bio == 0)
            return;
        CryptoCalls.BioFree(_bio);
        _bio = 0;
    }

    [UnmanagedCallersOnly]
    private static int Read(nint bio, byte* place, int room)
    {
        // SAFETY: a pipe's buffers live while its thread runs connections.
        var buffers = (TlsBuffers*)CryptoCalls.BioData(bio);
        CryptoCalls.BioClearFlags(bio, RetryFlags);
        int count = Math.Min(room, buffers->InputLength);
        if (count <= 0)
        {
            CryptoCalls.BioSetFlags(bio, CryptoCalls.BioFlagRead | CryptoCalls.BioFlagRetry);
            return -1;
        }

        Buffer.MemoryCopy(buffers->Input, place, room, count);
        buffers->Input += count;
        buffers->InputLength -= count;
        return count;
    }

    [UnmanagedCallersOnly]
    private static int Write(nint bio, byte* data, int length)
    {
        var buffers = (TlsBuffers*)CryptoCalls.BioData(bio);
        CryptoCalls.BioClearFlags(bio, RetryFlags);
        int count = Math.Min(length, buffers->OutputSize - buffers->OutputLength);
        if (count <= 0)
        {
            CryptoCalls.BioSetFlags(bio, CryptoCalls.BioFlagWrite | CryptoCalls.BioFlagRetry);
            return -1;
        }

        Buffer.MemoryCopy(data, buffers->Output + buffers->OutputLength, count, count);
        buffers->OutputLength += count;
        return count;
    }

    [UnmanagedCallersOnly]
    private static nint Control(nint bio, int command, nint number, nint pointer) =>
        command == CryptoCalls.BioControlFlush ? 1 : 0;
}
