namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>Decides which calls of a simulated kernel fail.</summary>
internal interface ISimulatedFaults
{
    /// <summary>Whether a call fails now.</summary>
    /// <param name="call">The call.</param>
    /// <param name="result">Its result then: a negative number of errno.</param>
    bool Occurs(SimulatedCall call, out int result);
}
