using Cinnabar.Transport.Tls;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>A connection of the simulated kernel below TLS, without a ring.</summary>
/// <param name="sockets">The connections.</param>
/// <param name="descriptor">Its descriptor.</param>
internal sealed unsafe class SimulatedWire(SimulatedSockets sockets, int descriptor) : TlsWire
{
    private readonly SimulatedSockets _sockets = sockets;
    private readonly int _descriptor = descriptor;

    public override int Receive(byte* place, int room) => _sockets.Receive(_descriptor, place, room);

    public override int Send(byte* data, int length) => _sockets.Send(_descriptor, data, length);
}
