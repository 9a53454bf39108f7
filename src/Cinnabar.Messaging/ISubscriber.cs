using Cinnabar.Memory;

namespace Cinnabar.Messaging;

/// <summary>Who gets messages: a session. Called on any thread.</summary>
public unsafe interface ISubscriber
{
    /// <summary>Appends a message to the subscriber's output, in the order of the calls.</summary>
    /// <param name="message">
    /// The encoded message, of which one reference goes to the subscriber. Its first byte is <c>&gt;</c>; a RESP2
    /// session sends <c>*</c> instead.
    /// </param>
    /// <param name="length">Its length in bytes.</param>
    void Deliver(SharedBlock* message, int length);
}
