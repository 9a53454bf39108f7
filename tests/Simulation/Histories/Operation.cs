namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>
/// A client's atomic step, a command or a transaction: its times and its reply.
/// </summary>
public sealed class Operation
{
    /// <summary>What a command returns for a key that does not exist.</summary>
    public const long Missing = long.MinValue;

    /// <summary>The client: its operations take effect in the order of the history.</summary>
    public required int Client { get; init; }

    /// <summary>When it was asked for.</summary>
    public required long InvokedAt { get; init; }

    /// <summary>When the answer came; the end of time where none came: it may have happened, or may
    /// yet.</summary>
    public long ReturnedAt { get; set; } = long.MaxValue;

    /// <summary>The commands.</summary>
    public required Call[] Calls { get; init; }

    /// <summary>Whether it is a transaction: it depends on its client's watches, and ends them.</summary>
    public bool IsTransaction { get; init; }

    /// <summary>The numbers of all commands' replies, concatenated; null: EXEC was refused.</summary>
    public long[]? Results { get; set; }

    /// <summary>Whether an answer came.</summary>
    public bool IsKnown => ReturnedAt != long.MaxValue;

    /// <inheritdoc/>
    public override string ToString()
    {
        string result = !IsKnown ? "?" : Results is null ? "refused" : string.Join(' ', Results);
        string end = IsKnown ? $"{ReturnedAt}" : "";
        return $"[{InvokedAt},{end}] client {Client}: {string.Join("; ", (object[])Calls)} -> {result}";
    }
}
