namespace Cinnabar.Engine.Replication.Links;

/// <summary>What a handshake has come to.</summary>
internal enum HandshakeResult
{
    /// <summary>It goes on.</summary>
    UnderWay,

    /// <summary>The master sends all its data.</summary>
    Full,

    /// <summary>The master goes on where the replica was.</summary>
    Continued,

    /// <summary>The master cannot yet; it is asked again later.</summary>
    Later,

    /// <summary>The master refuses.</summary>
    Refused,
}
