namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>One call of a simulated kernel fails.</summary>
/// <param name="call">Which kind of call.</param>
/// <param name="index">How many of the kind succeed before.</param>
/// <param name="error">The number of errno.</param>
internal sealed class SingleFault(SimulatedCall call, int index, int error) : ISimulatedFaults
{
    private readonly SimulatedCall _call = call;
    private readonly int _error = error;
    private int _left = index;

    /// <summary>Whether it has failed.</summary>
    public bool HasOccurred { get; private set; }

    /// <inheritdoc/>
    public bool Occurs(SimulatedCall call, out int result)
    {
        result = -_error;
        if (call != _call || HasOccurred || _left-- > 0)
            return false;
        HasOccurred = true;
        return true;
    }
}
