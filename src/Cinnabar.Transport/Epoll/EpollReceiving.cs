// A receive that did not fill its room has emptied the socket, but for three cases, after which the kernel is
// to look again. The peer's end is behind what was received; before an urgent byte a receive stops (both are
// in the events of the wait); and over a Unix socket it stops behind bytes that were sent with descriptors,
// so that they can be distinguished from those of the next bytes. No command wants descriptors: without room
// for them the kernel closes them, and says so in the message's flags.

using System.Runtime.Versioning;

namespace Cinnabar.Transport.Epoll;

/// <summary>Receives what has come for a session, as far as there is room.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe class EpollReceiving
{
    /// <summary>No bytes have come.</summary>
    public const int Nothing = -1;

    /// <summary>The connection is broken.</summary>
    public const int Failed = -2;

    /// <summary>Receives bytes.</summary>
    /// <param name="descriptor">The socket.</param>
    /// <param name="place">Where to.</param>
    /// <param name="room">How many.</param>
    /// <param name="isUnix">Whether it is a Unix socket.</param>
    /// <param name="isShort">Whether the socket may have more.</param>
    /// <returns>How many came, 0 at the end, <see cref="Nothing"/> or <see cref="Failed"/>.</returns>
    public static int Receive(int descriptor, byte* place, int room, bool isUnix, out bool isShort)
    {
        isShort = false;
        nint received;
        do
        {
            received = isUnix
                ? ReceiveMessage(descriptor, place, room, out isShort)
                : EpollCalls.Receive(descriptor, place, room, EpollCalls.DoNotWait);
        }
        while (received < 0 && Marshal.GetLastPInvokeError() == EpollCalls.Interrupted);

        if (received >= 0)
            return (int)received;
        return Marshal.GetLastPInvokeError() == EpollCalls.Again ? Nothing : Failed;
    }

    private static nint ReceiveMessage(int descriptor, byte* place, int room, out bool isShort)
    {
        var vector = new IoVector { Data = place, Length = room };
        var message = new MessageHeader { Vectors = &vector, VectorCount = 1 };
        nint received = EpollCalls.ReceiveMessage(descriptor, &message, EpollCalls.DoNotWait);
        isShort = (message.Flags & EpollCalls.ControlTruncated) != 0;
        return received;
    }
}
