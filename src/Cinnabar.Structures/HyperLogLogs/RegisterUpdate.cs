namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>What became of the attempt to raise a register.</summary>
public enum RegisterUpdate
{
    /// <summary>It has a value as high already.</summary>
    Unchanged,

    /// <summary>It was raised, and the count in the header is no longer valid.</summary>
    Changed,

    /// <summary>Nothing was done: the value must become a dense one first.</summary>
    NeedsDense,

    /// <summary>Nothing was done: fewer than <see cref="HyperLogLogEditor.GrowthMax"/> bytes were
    /// free.</summary>
    NeedsRoom,

    /// <summary>Nothing was done: the value is corrupt.</summary>
    Corrupt,
}
