using Cinnabar.Engine.Sessions;

namespace Cinnabar.Transport.Epoll;

/// <summary>What a transport knows of a descriptor.</summary>
internal struct EpollConnection
{
    /// <summary>Its session; null: the descriptor is no connection of this loop.</summary>
    public Session? Session;

    /// <summary>The events that epoll reports.</summary>
    public uint Interest;

    /// <summary>Whether the session takes input.</summary>
    public bool IsReading;

    public bool IsUnix;
}
