namespace Cinnabar.Engine.Sessions;

/// <summary>Bytes of a session's output that wait for the journal.</summary>
/// <param name="Start">Where they begin, in bytes of the queue's life; they end where the next hold
/// begins.</param>
/// <param name="Position">The position of the journal that must be durable first.</param>
internal readonly record struct OutputHold(long Start, long Position);
