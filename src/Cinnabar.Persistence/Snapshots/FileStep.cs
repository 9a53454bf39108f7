namespace Cinnabar.Persistence.Snapshots;

/// <summary>What is done to a file that is being made (<see cref="FileStepException"/>).</summary>
public enum FileStep
{
    /// <summary>It is made under its temporary name.</summary>
    Open,

    /// <summary>It is made durable.</summary>
    Flush,

    /// <summary>It gets its name.</summary>
    Rename,

    /// <summary>Its name is made durable.</summary>
    FlushDirectory,
}
