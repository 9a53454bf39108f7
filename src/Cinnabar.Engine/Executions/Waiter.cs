using Cinnabar.Engine.Sessions;
using Cinnabar.Keyspace.Entries;

namespace Cinnabar.Engine.Executions;

/// <summary>
/// One wait of one execution, with a new object each time, so that an old reference never affects a later
/// wait. The thread that claims it continues the execution: one that makes a key ready, the client's own loop
/// (timeout, end, another try), CLIENT UNBLOCK. The others do nothing. A new waiter is claimed by its
/// execution's loop until <see cref="Release"/>.
/// </summary>
/// <param name="execution">What waits.</param>
/// <param name="untilMs">Unix milliseconds; <see cref="long.MaxValue"/>: for ever.</param>
/// <param name="timedOut">Replies when that time has come.</param>
internal sealed class Waiter(SessionExecution execution, long untilMs, Action<SessionExecution> timedOut)
{
    private const int Claimed = 0;
    private const int Open = 1;

    private int _claim;

    /// <summary>The waiting execution; only valid until the wait is over.</summary>
    public SessionExecution Execution { get; } = execution;

    /// <summary>The client.</summary>
    public Session Session { get; } = execution.Session;

    /// <summary>When it gives up, in Unix milliseconds.</summary>
    public long UntilMs { get; } = untilMs;

    /// <summary>Replies when that time has come.</summary>
    public Action<SessionExecution> TimedOut { get; } = timedOut;

    /// <summary>Whether it waits until what was flushed is free, and not for a time.</summary>
    public bool IsForMemory { get; init; }

    /// <summary>Whether it waits for something else, too, before the memory that is free ends it. On its
    /// loop.</summary>
    public bool IsWithheld { get; set; }

    /// <summary>Whether it waits for work of loops, which they do at once.</summary>
    public bool IsForLoops { get; init; }

    /// <summary>Whether the server ends it soon: others see its command as running.</summary>
    public bool IsBrief => IsForMemory || IsForLoops;

    /// <summary>The keys that it waits for, if any.</summary>
    public KeyWait Keys { get; init; }

    /// <summary>Its places in the queues of its keys.</summary>
    public List<KeyPlace> Places { get; } = [];

    /// <summary>About how many bytes its places take, and the queues, as if they were its own.</summary>
    public long RecordBytes { get; set; }

    /// <summary>The stripes of all keys of its command: the execution that serves it holds them.</summary>
    public StripeSet Stripes;

    /// <summary>Hashes of keys of its command that it does not wait for: those that serving it writes
    /// to.</summary>
    public ulong[] Targets { get; set; } = [];

    /// <summary>When it runs again though nothing has changed, in Unix milliseconds; 0: never. Set under its
    /// claim.</summary>
    public long RetryMs { get; set; }

    /// <summary>When its loop checks it, in Unix milliseconds. Only for the loop's heap.</summary>
    public long DueMs { get; set; } = untilMs;

    /// <summary>Its place in its loop's heap; −1: none. Only for the heap.</summary>
    public int HeapIndex { get; set; } = -1;

    /// <summary>Whether CLIENT UNBLOCK ended it with an error.</summary>
    public bool IsUnblockedByError { get; set; }

    /// <summary>Whether the server has become a replica meanwhile.</summary>
    public bool IsEndedByDemotion { get; set; }

    /// <summary>Whether its user may no longer run its command.</summary>
    public bool IsDenied { get; set; }

    /// <summary>Whether its command counts in the statistics already.</summary>
    public bool IsCounted { get; set; }

    /// <summary>Whether a key of this type ends the wait.</summary>
    /// <param name="type">The type; null: there is no such key.</param>
    public bool IsReadyFor(KeyType? type) => type == Keys.Type || Keys.EndsWithKey;

    /// <summary>Takes the right to continue the execution. From any thread; a full fence.</summary>
    public bool TryClaim() => Interlocked.CompareExchange(ref _claim, Claimed, Open) == Open;

    /// <summary>
    /// Releases a claim: the execution keeps waiting. Its loop ends the wait if the client has left
    /// meanwhile.
    /// </summary>
    public void Release()
    {
        SessionExecution execution = Execution;
        // ORDER: a full fence: the owner's changes of the execution are visible to the next one, and the
        // owner's later reads (whether the client has left meanwhile) are not older.
        int before = Interlocked.Exchange(ref _claim, Open);
        Debug.Assert(before == Claimed, "the owner of the claim gives it back, once");
        if (execution.IsAbandoned || Session.IsInputEnded)
            execution.Loop.Run(() => execution.Loop.EndIfLeft(this));
    }
}
