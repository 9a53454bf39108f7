using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Loops;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>The server that follows a master.</summary>
internal interface IReplicaServer : ILoopServer
{
    /// <summary>Its configuration.</summary>
    ConfigurationRegistry Configuration { get; }

    /// <summary>The files of its data.</summary>
    DataFiles Data { get; }
}
