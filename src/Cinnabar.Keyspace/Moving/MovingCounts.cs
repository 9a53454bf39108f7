namespace Cinnabar.Keyspace.Moving;

/// <summary>What was moved; written by one thread, read by any.</summary>
public sealed class MovingCounts
{
    /// <summary>Blocks that were moved.</summary>
    public long Moved { get; private set; }

    /// <summary>Blocks that were looked at and stayed.</summary>
    public long Stayed { get; private set; }

    /// <summary>Keys of which something was moved.</summary>
    public long MovedKeys { get; private set; }

    /// <summary>Keys that could have been moved, or that have big values, and stayed.</summary>
    public long StayedKeys { get; private set; }

    /// <summary>Starts all over.</summary>
    public void Reset() => (Moved, Stayed, MovedKeys, StayedKeys) = (0, 0, 0, 0);

    internal void NoteBlocks(int movedCount, int stayedCount) =>
        (Moved, Stayed) = (Moved + movedCount, Stayed + stayedCount);

    internal void NoteKey(bool isMoved)
    {
        if (isMoved)
            MovedKeys++;
        else
            StayedKeys++;
    }
}
