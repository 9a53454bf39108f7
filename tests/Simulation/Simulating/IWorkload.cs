using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>What a client does, and what it thinks of what it is told.</summary>
internal interface IWorkload
{
    /// <summary>The next request.</summary>
    Request Next();

    /// <summary>Told what came without being asked for.</summary>
    /// <returns>Whether it was that; a reply otherwise.</returns>
    bool TryPush(RespValue reply);

    /// <summary>The connection is lost, with all that was under way.</summary>
    void Disconnect();
}
