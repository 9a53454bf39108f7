namespace Cinnabar.Engine.Configuration;

/// <summary>
/// When a client that does not read its replies is closed. A limit of zero bytes means none.
/// </summary>
/// <param name="HardBytes">Closed at once above this.</param>
/// <param name="SoftBytes">Closed when above this for <paramref name="SoftSeconds"/> without a break.</param>
/// <param name="SoftSeconds">How long the soft limit may be exceeded.</param>
public readonly record struct OutputBufferLimit(long HardBytes, long SoftBytes, int SoftSeconds);
