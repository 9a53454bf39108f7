namespace Cinnabar.Persistence.Snapshots;

/// <summary>Where what is made of a snapshot goes.</summary>
public interface ISnapshotTarget
{
    /// <summary>Begins it.</summary>
    /// <returns>What is written to; it stays the target's.</returns>
    StoredFile Create();

    /// <summary>All was written: it becomes what stands for the snapshot.</summary>
    void Commit();

    /// <summary>Gives up what was not committed.</summary>
    void Discard();
}
