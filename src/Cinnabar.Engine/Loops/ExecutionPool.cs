using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Loops;

/// <summary>The executions of a loop that are not in use.</summary>
internal sealed class ExecutionPool(Loop loop) : IDisposable
{
    private const int CountMax = 64;

    private readonly Stack<SessionExecution> _unused = new();
    private ulong _seedNext = loop.Server.RandomSeedOf(loop.Index);

    public SessionExecution Take()
    {
        if (_unused.Count == 0)
            return new SessionExecution(loop, _seedNext++);
        SessionExecution execution = _unused.Pop();
        Debug.Assert(!execution.IsAbandoned && execution.Session is null, "it was changed while not in use");
        return execution;
    }

    /// <summary>Returns a finished one and releases what it holds.</summary>
    public void Return(SessionExecution execution)
    {
        execution.EndSteps();
        execution.ReleaseOwned();
        // The pool's executions would keep the memory of as many long replies.
        if (execution.OwnOutput is { ChunkSize: > ReplyOutput.ServedChunkSize })
            execution.DropOwnOutput();
        execution.EndWait();
        // It may have been served in vain, off its loop.
        loop.Server.SlowLane.Collect(execution);
        execution.State = ExecutionState.OnLoop;
        execution.IsAbandoned = false;
        execution.Keys.IsNoTouch = false;
        execution.Keys.SeesExpired = false;
        execution.Session = null!;
        execution.Spec = null!;
        if (_unused.Count < CountMax)
            _unused.Push(execution);
        else
            execution.Dispose();
    }

    public void Dispose()
    {
        foreach (SessionExecution execution in _unused)
            execution.Dispose();
    }
}
