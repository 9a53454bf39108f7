using Cinnabar.Engine.Replication.Replicas;
using Cinnabar.Engine.Replication.Streams;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>The server that follows a master.</summary>
internal interface IReplicaServer : IReplicationServer
{
    /// <summary>Its own replicas.</summary>
    ReplicaSet Replicas { get; }
}
