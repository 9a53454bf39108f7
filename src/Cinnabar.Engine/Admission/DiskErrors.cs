// While the server cannot save what clients write, it refuses to write: MISCONF. As in Redis PING is refused,
// too, so that what watches the server by it notices.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Transactions;
using Cinnabar.Engine.Generated;

namespace Cinnabar.Engine.Admission;

/// <summary>Refuses writes while the last attempt to save failed. Thread-safe.</summary>
/// <param name="gates">The server's gates.</param>
internal sealed class DiskErrors(GateSet gates)
{
    private readonly GateSet _gates = gates;
    private readonly Lock _lock = new();
    private volatile byte[]? _error;
    private volatile string? _journalError;
    private bool _hasSnapshotFailed;

    /// <summary>The error that a refused command gets.</summary>
    public ReadOnlySpan<byte> Error => _error;

    /// <summary>Whether what is written cannot be recorded in the append-only file.</summary>
    public bool HasJournalFailed => _journalError is not null;

    /// <summary>Whether a command is refused. PING by its name: a flag for it alone would say the
    /// same.</summary>
    public bool Refuses(SessionExecution execution) => _gates.Has(ServerGates.DiskFailed)
        && _error is not null
        && (CommandReach.Has(execution, CommandFlags.Write) || execution.Spec.Id == CommandId.Ping);

    /// <summary>The state of the append-only file has changed.</summary>
    /// <param name="error">The system's text for what fails; null: nothing does.</param>
    public void SetJournal(string? error)
    {
        lock (_lock)
        {
            _journalError = error;
            SetGate();
        }
    }

    /// <summary>The last snapshot has failed, and <c>stop-writes-on-bgsave-error</c> is on; or not.</summary>
    public void SetSnapshot(bool hasFailed)
    {
        lock (_lock)
        {
            _hasSnapshotFailed = hasFailed;
            SetGate();
        }
    }

    private void SetGate()
    {
        string? text = _hasSnapshotFailed
            ? "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to "
                + "disk. Commands that may modify the data set are disabled, because this instance is "
                + "configured to report errors during writes if RDB snapshotting fails "
                + "(stop-writes-on-bgsave-error option). Please check the Redis logs for details about the "
                + "RDB error."
            : _journalError is { } error ? $"MISCONF Errors writing to the AOF file: {error}" : null;
        _error = text is null ? null : Encoding.UTF8.GetBytes(text);
        _gates.Set(ServerGates.DiskFailed, text is not null);
    }
}
