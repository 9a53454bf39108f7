namespace Cinnabar.Engine.Executions;

/// <summary>How far a command that stores in steps (<see cref="Cinnabar.Commands.StoreSteps"/>) has
/// come.</summary>
internal enum StorePhase : byte
{
    /// <summary>It has no steps.</summary>
    None,

    /// <summary>Its result is to be built without keys, or is being built.</summary>
    Building,

    /// <summary>Its result is built, and to be stored on the loop if the sources are still the
    /// same.</summary>
    Built,

    /// <summary>They were not: it makes its steps once more, off the loop, holding its keys.</summary>
    Holding,
}
