using System.Runtime.Versioning;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Epoll;

/// <summary>Sends a session's output, as far as its socket takes it.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe class EpollSending
{
    private const int VectorCountMax = 64;
    private const int Flags = EpollCalls.NoSignal | EpollCalls.DoNotWait;

    /// <summary>Sends segments, at most 64 of them.</summary>
    /// <param name="descriptor">The socket.</param>
    /// <param name="segments">What to send.</param>
    /// <param name="count">How many segments.</param>
    /// <param name="isAll">False where the socket took no more: there is more to be sent once it
    /// does.</param>
    /// <returns>The bytes that it took, or <see cref="LoopTransport.SendFailed"/>.</returns>
    public static long Send(int descriptor, OutputSegment* segments, int count, out bool isAll)
    {
        long length = 0;
        for (int index = 0; index < count; index++)
            length += segments[index].Length;
        nint sent;
        do
        {
            sent = count == 1
                ? EpollCalls.Send(descriptor, segments[0].Data, (nint)segments[0].Length, Flags)
                : SendMany(descriptor, segments, count);
        }
        while (sent < 0 && Marshal.GetLastPInvokeError() == EpollCalls.Interrupted);

        isAll = true;
        if (sent < 0)
        {
            if (Marshal.GetLastPInvokeError() != EpollCalls.Again)
                return LoopTransport.SendFailed;
            sent = 0;
        }

        isAll = sent == length;
        return sent;
    }

    private static nint SendMany(int descriptor, OutputSegment* segments, int count)
    {
        IoVector* vectors = stackalloc IoVector[VectorCountMax];
        for (int index = 0; index < count; index++)
        {
            vectors[index].Data = segments[index].Data;
            vectors[index].Length = (nint)segments[index].Length;
        }

        var message = new MessageHeader { Vectors = vectors, VectorCount = count };
        return EpollCalls.SendMessage(descriptor, &message, Flags);
    }
}
