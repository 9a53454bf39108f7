namespace Cinnabar.Engine.Replication.Links;

/// <summary>The connection to a master cannot go on; the message is for the log.</summary>
internal sealed class LinkException(string message) : Exception(message)
{
    /// <summary>Nobody wants it any more.</summary>
    public static LinkException Stopped() => new("The link to the master has been stopped.");
}
