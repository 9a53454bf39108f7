namespace Cinnabar.Memory;

/// <summary>How many more slabs and large blocks are granted before memory counts as exhausted: for
/// tests.</summary>
internal struct GrantLimit()
{
    private long _left = long.MaxValue;

    /// <summary>The number of grants left.</summary>
    internal long Left
    {
        readonly get => Volatile.Read(in _left);
        set => Volatile.Write(ref _left, value);
    }

    /// <summary>Counts one.</summary>
    /// <exception cref="OutOfMemoryException">There is none left.</exception>
    internal void Count()
    {
        if (Interlocked.Decrement(ref _left) >= 0)
            return;
        Volatile.Write(ref _left, 0);
        throw new OutOfMemoryException("the limit of a test is reached");
    }
}
