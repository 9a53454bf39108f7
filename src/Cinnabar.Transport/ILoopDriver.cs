using System;
using System.Net.Sockets;

namespace Cinnabar.Transport;

/// <summary>A loop's transport as its host sees it.</summary>
internal interface ILoopDriver : IDisposable
{
    /// <summary>Accepts the connections of a listening socket; before <see cref="Run"/>. The host keeps the
    /// socket.</summary>
    void AddListener(Socket listener);

    /// <summary>Runs the loop on the calling thread until <see cref="Stop"/>; then closes all its
    /// sessions.</summary>
    void Run();

    /// <summary>Ends <see cref="Run"/>; from any thread.</summary>
    void Stop();
}
