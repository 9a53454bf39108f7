namespace Cinnabar.Engine.Admission;

/// <summary>What commands are held back for.</summary>
internal enum PausePurpose
{
    /// <summary>CLIENT PAUSE.</summary>
    Client,

    /// <summary>The end of the server, which waits for its replicas.</summary>
    Shutdown,

    /// <summary>FAILOVER.</summary>
    Failover,
}
