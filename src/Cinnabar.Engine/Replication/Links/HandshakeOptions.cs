namespace Cinnabar.Engine.Replication.Links;

/// <summary>What a replica tells its master.</summary>
internal sealed record HandshakeOptions
{
    /// <summary><c>masteruser</c>; empty: the default user.</summary>
    public string User { get; init; } = "";

    /// <summary><c>masterauth</c>; empty: it does not log in.</summary>
    public string Password { get; init; } = "";

    /// <summary>The port that clients of the replica use.</summary>
    public int Port { get; init; }

    /// <summary><c>replica-announce-ip</c>; empty: the connection's.</summary>
    public string Address { get; init; } = "";

    /// <summary>The version of Redis whose data the replica reads at least.</summary>
    public required string Version { get; init; }

    /// <summary>The history whose data it has; null: it has none that the master could go on with.</summary>
    public string? HistoryId { get; init; }

    /// <summary>Whether the other is asked to become the master, in this server's place.</summary>
    public bool IsFailover { get; init; }

    /// <summary>The offset of the last byte of it that was applied.</summary>
    public long Offset { get; init; }
}
