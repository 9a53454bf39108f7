namespace Cinnabar.Engine.Observing;

/// <summary>The kinds of clients that CLIENT LIST and CLIENT KILL distinguish.</summary>
internal enum ClientKind
{
    /// <summary>Neither of the others; monitoring clients, too.</summary>
    Normal,

    /// <summary>Has subscriptions.</summary>
    PubSub,

    /// <summary>A replica of this server.</summary>
    Replica,

    /// <summary>The master of this server.</summary>
    Master,
}
