namespace Cinnabar.Platform;

/// <summary>C's <c>struct rlimit</c> on 64-bit systems.</summary>
internal struct ResourceLimit
{
    internal ulong Soft;
    internal ulong Hard;
}
