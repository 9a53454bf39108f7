namespace Cinnabar.Engine.Executions;

/// <summary>The phase of a command that stores in steps
/// (<see cref="Cinnabar.Commands.StoreSteps"/>).</summary>
internal enum StorePhase : byte
{
    /// <summary>It has no steps.</summary>
    None,

    /// <summary>Its result is being built without keys, or will be.</summary>
    Building,

    /// <summary>Its result is built; the loop stores it if the sources are still the same.</summary>
    Built,

    /// <summary>They were not: it runs its steps once more, off the loop, holding its keys.</summary>
    Holding,
}
