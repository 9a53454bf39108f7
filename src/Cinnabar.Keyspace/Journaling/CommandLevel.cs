namespace Cinnabar.Keyspace.Journaling;

/// <summary>The version of Redis whose commands the journal may contain (<c>rdb-compatibility</c>); a greater
/// one knows more.</summary>
public enum CommandLevel
{
    /// <summary>Redis 6.2.</summary>
    Redis62,

    /// <summary>Redis 7.0.</summary>
    Redis70,

    /// <summary>Redis 7.2.</summary>
    Redis72,

    /// <summary>Redis 7.4; and Redis 8.6 where a stream has idempotent producers.</summary>
    Redis74,

    /// <summary>All commands that this server knows.</summary>
    Newest,
}
