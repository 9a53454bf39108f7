using System.Runtime.Versioning;
using Cinnabar.Transport.Uring;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>An operation in flight in the simulated kernel.</summary>
/// <param name="Entry">What was submitted.</param>
[SupportedOSPlatform("linux")]
internal sealed record SimulatedRequest(UringSubmission Entry)
{
    /// <summary>Whether it was canceled; it has yet to complete.</summary>
    public bool IsCanceled { get; set; }

    /// <summary>What a poll has reported last.</summary>
    public int Polled { get; set; }

    /// <summary>Whether it is a receive that does not see the end of its connection, as happens where the end
    /// comes right behind the last bytes.</summary>
    public bool HasMissedEnd { get; set; }

    /// <summary>Whether a cancellation is of this operation.</summary>
    public bool IsMeantBy(in UringSubmission cancellation) =>
        (cancellation.OperationFlags & UringCalls.CancelAny) != 0 || Entry.Mark == cancellation.Address;
}
