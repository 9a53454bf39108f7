namespace Cinnabar.Security.Logging;

/// <summary>Why a command was denied; where several selectors deny it, the last of these is
/// shown.</summary>
public enum DenialReason
{
    /// <summary>It was not.</summary>
    None,

    /// <summary>The database is not allowed.</summary>
    Database,

    /// <summary>The command is not allowed.</summary>
    Command,

    /// <summary>A key is not allowed.</summary>
    Key,

    /// <summary>The password was wrong.</summary>
    Authentication,

    /// <summary>A channel is not allowed.</summary>
    Channel,

    /// <summary>The certificate of a TLS client names no user.</summary>
    Certificate,
}
