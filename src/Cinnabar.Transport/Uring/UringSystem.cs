using System.Runtime.Versioning;

namespace Cinnabar.Transport.Uring;

/// <summary>What a loop's transport is made of, and disposes of.</summary>
/// <param name="Kernel">The kernel.</param>
/// <param name="Ring">The loop's ring.</param>
/// <param name="WakeUp">Ends its waits.</param>
/// <param name="Sizes">How large the ring is.</param>
[SupportedOSPlatform("linux")]
internal sealed record UringSystem(UringKernel Kernel, UringRing Ring, UringWakeUp WakeUp, UringSizes Sizes)
    : IDisposable
{
    /// <inheritdoc/>
    public void Dispose()
    {
        WakeUp.Dispose();
        Ring.Dispose();
    }
}
