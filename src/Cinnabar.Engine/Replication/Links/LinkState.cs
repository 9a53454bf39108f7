namespace Cinnabar.Engine.Replication.Links;

/// <summary>The state of the link to the master.</summary>
internal enum LinkState
{
    /// <summary>There is no connection; one is tried soon.</summary>
    Waiting,

    /// <summary>A connection is being made.</summary>
    Connecting,

    /// <summary>Replica and master agree on what to do.</summary>
    Handshake,

    /// <summary>The master's data are received or loaded.</summary>
    Transfer,

    /// <summary>The stream is applied.</summary>
    Connected,

    /// <summary>It has ended for good.</summary>
    Stopped,
}
