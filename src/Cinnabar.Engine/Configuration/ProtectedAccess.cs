namespace Cinnabar.Engine.Configuration;

/// <summary>Who may do what an <c>enable-…</c> directive guards; the order is that of its words.</summary>
public enum ProtectedAccess
{
    /// <summary>no.</summary>
    Nobody,

    /// <summary>yes.</summary>
    Everybody,

    /// <summary>local: clients on a loopback address or the Unix socket.</summary>
    LocalClients,
}
