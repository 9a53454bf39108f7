using System;
using System.Collections.Generic;
using Cinnabar.Transport.Tls;
using Xunit;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The connections of the simulated kernel by their descriptors.</summary>
/// <param name="chance">Decides.</param>
internal sealed class SimulatedSockets(SimulatedChance chance)
{
    // Below the process's limit, which the transport looks at.
    private const int FirstDescriptor = 700;

    private readonly Dictionary<int, SimulatedSocket> _sockets = [];
    private readonly SimulatedChance _chance = chance;
    private readonly Dictionary<int, Queue<SimulatedSocket>> _connecting = [];

    /// <summary>The descriptors of open connections.</summary>
    public IReadOnlyCollection<int> OpenDescriptors => _sockets.Keys;

    /// <summary>Whether clients wait to be accepted by a listener.</summary>
    public bool HasConnecting(int listener) => _connecting[listener].Count > 0;

    /// <summary>An open connection.</summary>
    public SimulatedSocket this[int descriptor] => _sockets[descriptor];

    /// <summary>Adds a listener.</summary>
    /// <param name="descriptor">Its descriptor, which is a real one.</param>
    public void Listen(int descriptor) => _connecting.Add(descriptor, new Queue<SimulatedSocket>());

    /// <summary>Connects a client to a listener.</summary>
    public SimulatedSocket Connect(int listener, int roomMax)
    {
        var socket = new SimulatedSocket(roomMax);
        _connecting[listener].Enqueue(socket);
        return socket;
    }

    /// <summary>Makes a pair, of which the first one receives what the second one sends.</summary>
    public void MakePair(out int receiver, out int sender)
    {
        var first = new SimulatedSocket(int.MaxValue);
        receiver = FindLowest();
        _sockets.Add(receiver, first);
        sender = FindLowest();
        _sockets.Add(sender, new SimulatedSocket(int.MaxValue) { Peer = first });
    }

    /// <summary>Accepts the first client that waits.</summary>
    /// <returns>The descriptor of its connection.</returns>
    public int Accept(int listener)
    {
        int descriptor = FindLowest();
        _sockets.Add(descriptor, _connecting[listener].Dequeue());
        return descriptor;
    }

    /// <summary>Receives without a ring: any of the bytes that have come.</summary>
    public unsafe int Receive(int descriptor, byte* place, int room)
    {
        SimulatedSocket socket = _sockets[descriptor];
        int count = Math.Min(room, socket.Input.Count);
        if (count == 0)
            return socket.IsReset ? TlsWire.Failed : socket.IsInputEnded ? TlsWire.Ended : TlsWire.Nothing;
        if (_chance.IsOnceIn(2))
            count = 1 + _chance.Below(count);
        for (int index = 0; index < count; index++)
            place[index] = socket.Input.Dequeue();
        return count;
    }

    /// <summary>Sends without a ring: as many bytes as there is room for, or fewer.</summary>
    public unsafe int Send(int descriptor, byte* data, int length)
    {
        SimulatedSocket socket = _sockets[descriptor];
        if (socket.IsReset)
            return TlsWire.Failed;
        int count = Math.Min(length, socket.Room);
        if (_chance.IsOnceIn(4))
            count = _chance.Below(count + 1);
        socket.Take(data, count);
        return count > 0 ? count : TlsWire.Nothing;
    }

    /// <summary>The number that a new descriptor has: the lowest that is free, as always.</summary>
    public int FindLowest()
    {
        int lowest = FirstDescriptor;
        while (_sockets.ContainsKey(lowest))
            lowest++;
        return lowest;
    }

    /// <summary>The descriptor of a client's connection; −1: it is not accepted, or closed.</summary>
    public int DescriptorOf(SimulatedSocket socket)
    {
        foreach ((int descriptor, SimulatedSocket one) in _sockets)
        {
            if (one == socket)
                return descriptor;
        }

        return -1;
    }

    /// <summary>Closes a descriptor.</summary>
    public void Close(int descriptor)
    {
        Assert.True(_sockets.Remove(descriptor, out SimulatedSocket? socket), "it is open");
        socket.Close();
    }
}
