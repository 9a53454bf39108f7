using System;

namespace Cinnabar.Transport.Listening;

/// <summary>An address that the server was to listen on could not be had.</summary>
public sealed class ListenerFailedException : Exception
{
    /// <summary>Makes it.</summary>
    /// <param name="message">What failed, and why.</param>
    /// <param name="innerException">The cause, where there is one.</param>
    public ListenerFailedException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
