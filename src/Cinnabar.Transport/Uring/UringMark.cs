namespace Cinnabar.Transport.Uring;

/// <summary>What a submission's completions carry: which operation, of which descriptor, and of which of its
/// uses. A completion of an earlier use is known by it.</summary>
/// <param name="Value">The number that the kernel carries.</param>
internal readonly record struct UringMark(ulong Value)
{
    private const int GenerationShift = 32;
    private const int OperationShift = 56;
    private const uint GenerationMask = 0xFF_FFFF;

    /// <summary>Makes the mark of an operation.</summary>
    /// <param name="operation">Which.</param>
    /// <param name="index">The descriptor, or a loop's index.</param>
    /// <param name="generation">Which use of the descriptor; its low 24 bits count.</param>
    public UringMark(UringOperation operation, int index, uint generation = 0)
        : this(((ulong)operation << OperationShift)
            | ((ulong)(generation & GenerationMask) << GenerationShift) | (uint)index)
    {
        Debug.Assert(index >= 0, "a descriptor is not negative");
    }

    public UringOperation Operation => (UringOperation)(Value >> OperationShift);

    public int Index => (int)(uint)Value;

    /// <summary>Whether it is of a use of its descriptor.</summary>
    public bool IsOf(uint generation) =>
        (((uint)(Value >> GenerationShift)) & GenerationMask) == (generation & GenerationMask);
}
