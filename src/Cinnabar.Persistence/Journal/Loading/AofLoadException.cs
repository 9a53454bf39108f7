namespace Cinnabar.Persistence.Journal.Loading;

/// <summary>An append-only file cannot be loaded.</summary>
/// <param name="message">Why, in Redis's words.</param>
public sealed class AofLoadException(string message) : Exception(message);
