using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Replication.Streams;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>The server that follows a master.</summary>
internal interface IReplicaServer : ILoopServer
{
    /// <summary>Its configuration.</summary>
    ConfigurationRegistry Configuration { get; }

    /// <summary>The files of its data.</summary>
    DataFiles Data { get; }

    /// <summary>Its replication stream.</summary>
    ReplicationState Replication { get; }
}
