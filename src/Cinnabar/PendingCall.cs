using System.Threading.Tasks;
using Cinnabar.Resp;

namespace Cinnabar;

/// <summary>A command whose reply is awaited.</summary>
internal sealed class PendingCall : TaskCompletionSource<Reply>
{
    /// <summary>Makes it.</summary>
    /// <param name="confirmationCount">How many pushes confirm it instead of a reply; 0: it has a
    /// reply.</param>
    public PendingCall(int confirmationCount)
        : base(TaskCreationOptions.RunContinuationsAsynchronously)
    {
        ConfirmationCount = confirmationCount;
    }

    /// <summary>How many pushes are still to confirm it; 0: it has a reply.</summary>
    public int ConfirmationCount { get; set; }
}
