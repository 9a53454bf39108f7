using System.Threading.Tasks;
using Cinnabar.Resp;

namespace Cinnabar;

/// <summary>A command whose reply is awaited.</summary>
internal sealed class PendingCall : TaskCompletionSource<Reply>
{
    /// <summary>As a count of confirmations: until no subscription of its kind is left.</summary>
    public const int UntilNoneIsLeft = -1;

    private int _confirmationCount;

    /// <summary>Makes it.</summary>
    /// <param name="confirmationCount">How many pushes confirm it instead of a reply; 0: a reply.
    /// </param>
    public PendingCall(int confirmationCount)
        : base(TaskCreationOptions.RunContinuationsAsynchronously)
    {
        _confirmationCount = confirmationCount;
    }

    /// <summary>Takes a confirmation, while this is the first of the waiting calls.</summary>
    /// <param name="isLast">Whether no subscription of its kind is left.</param>
    /// <returns>Whether it was the last that the call waited for.</returns>
    public bool IsConfirmedBy(bool isLast) =>
        _confirmationCount == UntilNoneIsLeft ? isLast : _confirmationCount > 0 && --_confirmationCount == 0;
}
