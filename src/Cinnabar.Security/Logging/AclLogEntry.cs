namespace Cinnabar.Security.Logging;

/// <summary>Equal denials in a short time.</summary>
public sealed record AclLogEntry
{
    /// <summary>Its number, which grows.</summary>
    public required long Id { get; init; }

    /// <summary>How often.</summary>
    public long Count { get; init; } = 1;

    /// <summary>Why.</summary>
    public required DenialReason Reason { get; init; }

    /// <summary>Where.</summary>
    public required DenialPlace Place { get; init; }

    /// <summary>The command, key or channel, one char a byte.</summary>
    public required string Subject { get; init; }

    /// <summary>The user's name.</summary>
    public required string UserName { get; init; }

    /// <summary>The description of the last client.</summary>
    public required string Client { get; init; }

    /// <summary>The first time, Unix milliseconds.</summary>
    public required long CreatedMs { get; init; }

    /// <summary>The last time, Unix milliseconds.</summary>
    public required long UpdatedMs { get; init; }

    /// <summary>Whether another denial is the same but for its client and its time.</summary>
    internal bool IsLike(AclLogEntry other) => Reason == other.Reason && Place == other.Place
        && Subject == other.Subject && UserName == other.UserName;
}
