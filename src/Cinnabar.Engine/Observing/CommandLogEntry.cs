namespace Cinnabar.Engine.Observing;

/// <summary>An entry of a command log.</summary>
/// <param name="Id">Ascending, never reused.</param>
/// <param name="UnixSeconds">When the command had been executed.</param>
/// <param name="Value">Microseconds, or bytes, by the kind of the log.</param>
/// <param name="Arguments">The command's arguments, trimmed.</param>
/// <param name="Address">The client's address.</param>
/// <param name="Name">The client's name, which may be empty.</param>
internal sealed record CommandLogEntry(
    long Id, long UnixSeconds, long Value, byte[][] Arguments, byte[] Address, byte[] Name);
