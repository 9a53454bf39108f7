using System.Collections.Generic;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The connections of the simulated kernel by their descriptors.</summary>
internal sealed class SimulatedSockets
{
    // Below the process's limit, which the transport looks at.
    private const int FirstDescriptor = 700;

    private readonly Dictionary<int, SimulatedSocket> _sockets = [];
    private readonly Queue<SimulatedSocket> _connecting = new();

    /// <summary>The descriptors of open connections.</summary>
    public IEnumerable<int> OpenDescriptors => _sockets.Keys;

    /// <summary>Whether clients wait to be accepted.</summary>
    public bool HasConnecting => _connecting.Count > 0;

    /// <summary>An open connection.</summary>
    public SimulatedSocket this[int descriptor] => _sockets[descriptor];

    /// <summary>Connects a client.</summary>
    public SimulatedSocket Connect(int roomMax)
    {
        var socket = new SimulatedSocket(roomMax);
        _connecting.Enqueue(socket);
        return socket;
    }

    /// <summary>Accepts the first client that waits.</summary>
    /// <returns>The descriptor of its connection.</returns>
    public int Accept()
    {
        int descriptor = FindLowest();
        _sockets.Add(descriptor, _connecting.Dequeue());
        return descriptor;
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

    /// <summary>Closes a descriptor, if it is a connection's.</summary>
    public void Close(int descriptor)
    {
        if (_sockets.Remove(descriptor, out SimulatedSocket? socket))
            socket.IsClosed = true;
    }
}
