using Cinnabar.Transport.Uring;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>An operation in flight in the simulated kernel.</summary>
/// <param name="Entry">What was submitted.</param>
internal sealed record SimulatedRequest(UringSubmission Entry)
{
    /// <summary>Whether it was canceled; it has yet to complete.</summary>
    public bool IsCanceled { get; set; }
}
