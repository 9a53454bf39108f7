namespace Cinnabar.Lab;

/// <summary>What a station of line one can be asked for.</summary>
public enum StringCommandKind
{
    /// <summary>No command of theirs: the value is the error.</summary>
    Error,

    /// <summary>PING, with a value: it comes back.</summary>
    Ping,

    /// <summary>GET key.</summary>
    Get,

    /// <summary>SET key value.</summary>
    Set,
}
