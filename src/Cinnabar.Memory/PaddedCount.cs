namespace Cinnabar.Memory;

/// <summary>A number that many threads write, on a cache line of its own.</summary>
[StructLayout(LayoutKind.Explicit, Size = 2 * LineSize)]
internal struct PaddedCount
{
    private const int LineSize = 64;

    /// <summary>The number.</summary>
    [FieldOffset(LineSize)]
    public long Value;
}
