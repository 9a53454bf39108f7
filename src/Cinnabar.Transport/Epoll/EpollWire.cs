using System.Runtime.Versioning;
using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Epoll;

/// <summary>A descriptor below a TLS connection.</summary>
/// <param name="descriptor">The descriptor, which its owner closes.</param>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EpollWire(int descriptor) : TlsWire
{
    private readonly int _descriptor = descriptor;

    public override int Receive(byte* place, int room) =>
        EpollReceiving.Receive(_descriptor, place, room, isUnix: false, out _);

    public override int Send(byte* data, int length)
    {
        nint sent;
        do
        {
            sent = EpollCalls.Send(_descriptor, data, length, EpollCalls.NoSignal | EpollCalls.DoNotWait);
        }
        while (sent < 0 && Marshal.GetLastPInvokeError() == EpollCalls.Interrupted);

        if (sent >= 0)
            return (int)sent;
        return Marshal.GetLastPInvokeError() == EpollCalls.Again ? Nothing : Failed;
    }
}
