namespace Cinnabar.Engine.Connection;

/// <summary>What a filter of CLIENT LIST and CLIENT KILL looks at.</summary>
internal enum ClientProperty
{
    /// <summary>Its id: one of several.</summary>
    Id,

    /// <summary>Its kind.</summary>
    Type,

    /// <summary>Its address and port.</summary>
    Address,

    /// <summary>The address and port that it connected to.</summary>
    LocalAddress,

    /// <summary>Its address without the port.</summary>
    Ip,

    /// <summary>The user that it is authenticated as.</summary>
    User,

    Name,

    LibraryName,

    LibraryVersion,

    /// <summary>Its flags: all that are given.</summary>
    Flags,

    /// <summary>Its capabilities: all that are given.</summary>
    Capabilities,

    /// <summary>The database that it has selected.</summary>
    Database,

    /// <summary>How long it has existed at least, in seconds.</summary>
    Age,

    /// <summary>How long it has been idle at least, in seconds.</summary>
    Idle,
}
