namespace Cinnabar.Engine.Sessions;

/// <summary>What a session's bytes travel over.</summary>
public enum ConnectionKind : byte
{
    Tcp,

    /// <summary>TCP with TLS.</summary>
    Tls,

    /// <summary>A unix domain socket.</summary>
    Unix,

    /// <summary>No socket: a client in this process.</summary>
    InProcess,
}
