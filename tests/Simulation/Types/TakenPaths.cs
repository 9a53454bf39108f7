using System.Collections.Generic;
using System.Linq;
using Cinnabar.Engine.Executions;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Counts the paths of commands through the server, so that a test can check that each was
/// taken.</summary>
internal sealed class TakenPaths
{
    private static readonly string[] s_all =
    [
        "blocked", "served", "timed out", "unblocked", "group gone while waiting", "lost",
        "suspended for a stripe", "escalation", "slow lane", "values kept", "result built without keys",
        "waits from the slow lane", "refused as busy", "transaction in the slow lane", "big reply",
        "lost in the slow lane", "paused", "waits for memory", "watch broken", "killed while waiting",
    ];

    private readonly Dictionary<string, long> _counts = [];

    /// <summary>Paths that were not taken.</summary>
    public IEnumerable<string> Missing => s_all.Where(path => _counts.GetValueOrDefault(path) == 0);

    /// <summary>Counts.</summary>
    public void Add(string path, long count) => _counts[path] = _counts.GetValueOrDefault(path) + count;

    /// <summary>Adds what others have counted.</summary>
    public void Add(TakenPaths paths)
    {
        foreach ((string path, long count) in paths._counts)
            Add(path, count);
    }

    /// <summary>Looks at what the slow lane has just run.</summary>
    public void NoteSlowLane(SessionExecution execution)
    {
        Add("slow lane", 1);
        Add("values kept", execution.IsWithoutKeys ? 1 : 0);
        Add("result built without keys", execution.IsBuilt ? 1 : 0);
        bool waits = execution is { State: ExecutionState.Retrying, IsBuilt: false };
        Add("waits from the slow lane", waits ? 1 : 0);
        Add("waits from the slow lane though abandoned", waits && execution.IsAbandoned ? 1 : 0);
        Add("transaction in the slow lane", execution.Spec.Name == "exec" ? 1 : 0);
    }

    /// <summary>Looks at what a client waits for, if it does.</summary>
    public void NoteSuspended(SessionExecution? execution)
    {
        Add("suspended for a stripe", execution is { State: ExecutionState.WaitingForStripe } ? 1 : 0);
        Add("paused", execution is { State: ExecutionState.Paused } ? 1 : 0);
        Add("waits for memory", execution is
            { State: ExecutionState.Blocked, Waiter.IsForMemory: true } ? 1 : 0);
        Add("killed while waiting", execution is
            { State: ExecutionState.Blocked, Waiter.Places.Count: > 0, Session.IsKilled: true } ? 1 : 0);
    }

    /// <summary>Looks at a reply.</summary>
    public void NoteReply(TypedOperation operation)
    {
        bool hasWaited = operation.BlockedAt != TypedOperation.Never;
        Add("refused as busy", operation.IsRefused ? 1 : 0);
        Add("big reply", operation.Reply!.Length > 10_000 ? 1 : 0);
        Add("watch broken", operation.Reply == Shown.Null && operation.ReplyCount > 1 ? 1 : 0);
        if (!hasWaited)
            return;
        Add(operation.Reply switch
        {
            Shown.Null => "timed out",
            "-UNBLOCKED" => "unblocked",
            Shown.NoGroup => "group gone while waiting",
            _ => "served",
        }, 1);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        string.Join(", ", _counts.OrderBy(static one => one.Key)
            .Select(static one => $"{one.Key} {one.Value}"));
}
