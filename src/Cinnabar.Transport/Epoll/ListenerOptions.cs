using System.Runtime.Versioning;
using Cinnabar.Engine.Configuration;

namespace Cinnabar.Transport.Epoll;

/// <summary>The options of accepted TCP sockets: no delay, and keep-alive probes as <c>tcp-keepalive</c>
/// says, also when it changes.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class ListenerOptions(Settings settings)
{
    private const int SocketLevel = 1;
    private const int TcpLevel = 6;
    private const int KeepAlive = 9;
    private const int NoDelay = 1;
    private const int KeepAliveIdle = 4;
    private const int KeepAliveInterval = 5;
    private const int KeepAliveCount = 6;

    private readonly Settings _settings = settings;

    /// <summary>Sets a socket up. A socket whose peer has left refuses; its next event shows that.</summary>
    public void Apply(int descriptor)
    {
        Set(descriptor, TcpLevel, NoDelay, 1);
        int seconds = _settings.TcpKeepAliveSeconds;
        if (seconds <= 0)
            return;
        Set(descriptor, SocketLevel, KeepAlive, 1);
        Set(descriptor, TcpLevel, KeepAliveIdle, seconds);
        Set(descriptor, TcpLevel, KeepAliveInterval, seconds >= 3 ? seconds / 3 : 1);
        Set(descriptor, TcpLevel, KeepAliveCount, _settings.TcpKeepAliveProbes);
    }

    private static void Set(int descriptor, int level, int option, int value) =>
        EpollCalls.SetOption(descriptor, level, option, &value, sizeof(int));
}
