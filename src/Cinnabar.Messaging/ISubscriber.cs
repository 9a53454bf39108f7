using Cinnabar.Memory;

namespace Cinnabar.Messaging;

/// <summary>What gets messages: a session. Called on any thread.</summary>
public unsafe interface ISubscriber
{
    /// <summary>Appends a message to the subscriber's output, in the order of the calls.</summary>
    /// <param name="subscription">Which of its subscriptions the message is for; it may end before it is
    /// shown.</param>
    /// <param name="message"> The encoded message, of which one reference goes to the subscriber. Its first
    /// byte is <c>&gt;</c>; a RESP2 session sends <c>*</c> instead.
    /// </param>
    /// <param name="length">Its length in bytes.</param>
    /// <returns>False where the subscriber is about to end and takes no more: then the reference stays with
    /// the caller, and it does not count.</returns>
    bool TryDeliver(Subscription subscription, SharedBlock* message, int length);
}
