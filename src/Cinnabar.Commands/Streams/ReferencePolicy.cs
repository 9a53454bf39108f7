namespace Cinnabar.Commands.Streams;

/// <summary>What a deletion does to what is pending with consumer groups.</summary>
internal enum ReferencePolicy
{
    /// <summary>KEEPREF: pending entries stay pending.</summary>
    Keep,

    /// <summary>DELREF: they are no longer pending either.</summary>
    Delete,

    /// <summary>ACKED: only what every group has read and acknowledged is deleted.</summary>
    Acknowledged,
}
