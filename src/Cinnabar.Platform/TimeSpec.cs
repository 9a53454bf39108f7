namespace Cinnabar.Platform;

/// <summary>C's <c>struct timespec</c> on 64-bit systems.</summary>
internal struct TimeSpec
{
    internal long Seconds;
    internal long Nanoseconds;
}
