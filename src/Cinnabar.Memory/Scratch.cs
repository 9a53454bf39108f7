namespace Cinnabar.Memory;

/// <summary>Items in memory of a <see cref="ScratchPool"/>. Copies share it: dispose one of them,
/// once.</summary>
/// <typeparam name="T">What it holds.</typeparam>
public readonly unsafe struct Scratch<T> : IDisposable
    where T : unmanaged
{
    private readonly ScratchPool? _pool;
    private readonly ScratchPool.Block _block;

    /// <summary>Takes memory, contents undefined.</summary>
    /// <param name="pool">Where from.</param>
    /// <param name="length">How many items.</param>
    /// <exception cref="OutOfMemoryException">There is none.</exception>
    public Scratch(ScratchPool pool, int length)
    {
        _pool = pool;
        _block = pool.Take((nuint)length * (nuint)sizeof(T));
        Length = length;
    }

    /// <summary>How many items it has room for.</summary>
    public int Length { get; }

    /// <summary>All of it.</summary>
    // SAFETY: the block has at least as many items.
    public Span<T> Span => new(_block.Start, Length);

    /// <summary>Gives the memory back.</summary>
    public void Dispose() => _pool?.Return(_block);
}
