namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>The effects of a history's operations, one after the other, on a state of numbers.</summary>
public interface ISequentialModel
{
    /// <summary>The state before the first operation.</summary>
    long[] Initial(int keyCount, int clientCount);

    /// <summary>Applies an operation to a state that is the caller's own.</summary>
    /// <returns>Whether its results, where they are known, are those that this state gives.</returns>
    bool TryApply(ref long[] state, int keyCount, Operation operation);
}
