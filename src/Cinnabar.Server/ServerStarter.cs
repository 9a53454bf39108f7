using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Importing;

namespace Cinnabar.Server;

/// <summary>Starts a server; it listens when this returns.</summary>
/// <exception cref="System.IO.IOException">It cannot listen where it should; the message says so.</exception>
internal delegate IServerInstance ServerStarter(
    ConfigurationRegistry registry, ILog log, ImportAddress? source);
