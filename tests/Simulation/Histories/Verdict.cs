namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>What a check of a history has found.</summary>
public enum Verdict
{
    /// <summary>Some order of the operations explains every answer.</summary>
    Linearizable,

    /// <summary>No order does.</summary>
    Violation,

    /// <summary>The search was given up. That is no pass.</summary>
    Inconclusive,
}
