namespace Cinnabar.Memory;

/// <summary>Native memory was misused: written past a block's end, after it was freed, or freed
/// wrongly.</summary>
public sealed class MemoryFaultException : Exception
{
    /// <param name="message">What broke, and whose block it was.</param>
    public MemoryFaultException(string message)
        : base(message)
    {
    }
}
