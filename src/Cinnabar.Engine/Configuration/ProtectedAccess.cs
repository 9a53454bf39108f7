namespace Cinnabar.Engine.Configuration;

/// <summary>The clients that may do what an <c>enable-…</c> directive guards, in the order of its
/// words.</summary>
public enum ProtectedAccess
{
    /// <summary>no.</summary>
    None,

    /// <summary>yes.</summary>
    All,

    /// <summary>local: clients on a loopback address or the Unix socket.</summary>
    LocalClients,
}
