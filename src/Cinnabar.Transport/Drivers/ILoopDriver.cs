using System.Net.Sockets;

namespace Cinnabar.Transport.Drivers;

/// <summary>A loop's transport as its host sees it.</summary>
internal interface ILoopDriver : IDisposable
{
    /// <summary>Accepts the connections of a listening socket, from the loop's next turn on. From any
    /// thread.</summary>
    /// <param name="listener">The socket; it does not block.</param>
    /// <param name="isTls">Whether its connections have TLS.</param>
    void AddListener(Socket listener, bool isTls = false);

    /// <summary>Stops accepting and closes the socket. When it returns no client can connect there, and the
    /// address is free. From any thread.</summary>
    void RemoveListener(Socket listener);

    /// <summary>Runs the loop on the calling thread until <see cref="Stop"/>; then closes all its
    /// sessions.</summary>
    void Run();

    /// <summary>Ends <see cref="Run"/>; from any thread.</summary>
    void Stop();
}
