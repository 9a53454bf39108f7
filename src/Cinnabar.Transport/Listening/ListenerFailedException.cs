namespace Cinnabar.Transport.Listening;

/// <summary>The server cannot listen on a configured address.</summary>
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
