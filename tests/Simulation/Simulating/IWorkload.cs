using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Simulating;

/// <summary>A client's requests and the checks of its replies.</summary>
internal interface IWorkload
{
    /// <summary>The next request.</summary>
    Request Next();

    /// <summary>Takes a value if it is a push.</summary>
    /// <returns>Whether it was a push; otherwise it is a reply.</returns>
    bool TryPush(RespValue reply);

    /// <summary>The connection is lost, with all that was under way.</summary>
    void Disconnect();
}
