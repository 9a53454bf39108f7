using Cinnabar.Engine.Replication.Replicas;
using Cinnabar.Engine.Replication.Streams;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>The server that follows a master.</summary>
internal interface IReplicaServer : IReplicationServer
{
    /// <summary>What connects it to a master by TLS.</summary>
    TlsState Tls { get; }

    /// <summary>Its own replicas.</summary>
    ReplicaSet Replicas { get; }
}
