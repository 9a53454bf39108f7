namespace Cinnabar.Engine.Replication.Links;

/// <summary>Where a handshake is: which request has been sent last.</summary>
internal enum HandshakeStep
{
    /// <summary>None.</summary>
    Begin,

    /// <summary>PING.</summary>
    Ping,

    /// <summary>AUTH.</summary>
    Auth,

    /// <summary>REPLCONF listening-port.</summary>
    Port,

    /// <summary>REPLCONF ip-address.</summary>
    Address,

    /// <summary>REPLCONF capa.</summary>
    Capabilities,

    /// <summary>REPLCONF version.</summary>
    Version,

    /// <summary>PSYNC.</summary>
    Psync,

    /// <summary>The master has answered PSYNC.</summary>
    Over,
}
