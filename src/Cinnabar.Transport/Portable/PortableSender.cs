using System.Net.Sockets;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Portable;

/// <summary>Sends segments through sockets that do not block.</summary>
internal sealed unsafe class PortableSender
{
    private const int GatherSize = 64 * 1024;
    private const int GatheredSegmentMax = 16 * 1024;
    private const int SendSizeMax = 1 << 30;

    private readonly byte[] _gather = GC.AllocateUninitializedArray<byte>(GatherSize, pinned: true);

    /// <summary>Sends as much as the socket takes.</summary>
    /// <returns>The number of bytes, or <see cref="LoopTransport.SendFailed"/>.</returns>
    public long Send(Socket socket, OutputSegment* segments, int count) => count == 1
        ? SendRun(socket, segments[0].Data, segments[0].Length)
        : SendMany(socket, segments, count);

    private static long SendRun(Socket socket, byte* data, long length)
    {
        long sent = 0;
        while (sent < length)
        {
            // SAFETY: the segment's bytes stay where they are until the loop learns that they are sent.
            var span = new ReadOnlySpan<byte>(data + sent, (int)Math.Min(length - sent, SendSizeMax));
            int count = socket.Send(span, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success)
                sent += count;
            else if (error is SocketError.WouldBlock or SocketError.NoBufferSpaceAvailable)
                return sent;
            else if (error != SocketError.Interrupted)
                return LoopTransport.SendFailed;
        }

        return sent;
    }

    // Small segments are copied together: the runtime sends several runs at once only from managed arrays.
    private long SendMany(Socket socket, OutputSegment* segments, int count)
    {
        long sent = 0;
        int index = 0;
        fixed (byte* gather = _gather)
        {
            while (index < count)
            {
                int gathered = 0;
                for (; index < count && segments[index].Length <= GatheredSegmentMax
                    && gathered + segments[index].Length <= GatherSize; index++)
                {
                    long segmentLength = segments[index].Length;
                    Buffer.MemoryCopy(
                        segments[index].Data, gather + gathered, GatherSize - gathered, segmentLength);
                    gathered += (int)segmentLength;
                }

                byte* data = gathered > 0 ? gather : segments[index].Data;
                long length = gathered > 0 ? gathered : segments[index++].Length;
                long taken = SendRun(socket, data, length);
                if (taken < 0)
                    return taken;
                sent += taken;
                if (taken < length)
                    break;
            }
        }

        return sent;
    }
}
