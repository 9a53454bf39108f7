namespace Cinnabar.Engine.Scripts;

/// <summary>A library cannot be loaded.</summary>
/// <param name="message">Why, in Redis's words, without a code.</param>
internal sealed class LibraryException(string message) : Exception(message);
