using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Loops;

namespace Cinnabar.Engine.Replication.Streams;

/// <summary>The server of a replication stream.</summary>
internal interface IReplicationServer : ILoopServer
{
    /// <summary>Its configuration.</summary>
    ConfigurationRegistry Configuration { get; }

    /// <summary>The files of its data.</summary>
    DataFiles Data { get; }

    /// <summary>Whether it has threads beside its loops.</summary>
    bool HasThreads { get; }

    /// <summary>Its replication stream.</summary>
    ReplicationState Replication { get; }
}
