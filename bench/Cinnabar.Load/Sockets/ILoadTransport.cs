using System;
using System.Net.Sockets;

namespace Cinnabar.Load.Sockets;

/// <summary>The load generator's view of sockets: connections by index; only <see cref="Wait"/> blocks. One
/// thread only.</summary>
internal unsafe interface ILoadTransport : IDisposable
{
    /// <summary>Takes over a connected socket and gives its index, counted from 0.</summary>
    int Add(Socket socket);

    /// <summary>Sends what fits; gives the bytes taken, 0 when none fits now.</summary>
    /// <exception cref="LoadException">The connection broke.</exception>
    int Send(int connection, byte* data, int size);

    /// <summary>Receives available bytes; gives their number, 0 if there are none.</summary>
    /// <exception cref="LoadException">The connection broke or was closed.</exception>
    int Receive(int connection, byte* buffer, int size);

    /// <summary>Waits until connections have new input, or room for output where that is watched; fills in
    /// their indices and gives how many there are, 0 when the time is over.</summary>
    int Wait(Span<int> ready, long timeoutNs);

    /// <summary>Sets whether <see cref="Wait"/> also waits for room for output on a connection.</summary>
    void WatchOutput(int connection, bool isWatched);
}
