using System.Collections.Generic;
using System.Net.Sockets;
using Cinnabar.Transport.Drivers;
using Cinnabar.Transport.Listening;

namespace Cinnabar.Tests.Unit.Transport;

/// <summary>Records its listeners, and accepts nothing.</summary>
internal sealed class RecordingDriver : ILoopDriver
{
    /// <summary>The listening sockets it has.</summary>
    public List<Socket> Sockets { get; } = [];

    /// <summary>How many it has closed.</summary>
    public int RemovedCount { get; private set; }

    /// <inheritdoc/>
    public void AddListener(Socket listener, bool isTls = false) => Sockets.Add(listener);

    /// <inheritdoc/>
    public void RemoveListener(Socket listener)
    {
        RemovedCount++;
        Sockets.Remove(listener);
        Listener.Close(listener);
    }

    /// <inheritdoc/>
    public void Run()
    {
    }

    /// <inheritdoc/>
    public void Stop()
    {
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }
}
