using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Loops;

/// <summary>The executions of a loop: the one that commands run in, those that its sessions wait for, and
/// those that are not in use.</summary>
internal sealed class LoopExecutions : IDisposable
{
    private readonly Clock _clock;
    private readonly ExecutionPool _pool;

    public LoopExecutions(Loop loop)
    {
        _clock = loop.Server.Clock;
        _pool = new ExecutionPool(loop);
        Suspended = new SuspendedExecutions(loop);
        Current = _pool.Take();
    }

    /// <summary>The execution that commands run in; its writer fills the loop's output.</summary>
    public SessionExecution Current { get; private set; }

    /// <summary>The executions that the loop's sessions wait for.</summary>
    public SuspendedExecutions Suspended { get; }

    /// <summary>When the present turn, batch or resumed command began, Unix milliseconds.</summary>
    public long NowMs { get; private set; }

    /// <summary>Reads the clock.</summary>
    /// <returns>Unix microseconds.</returns>
    public long Begin()
    {
        long nowUs = _clock.UnixMicroseconds;
        NowMs = nowUs / 1000;
        return nowUs;
    }

    /// <summary>Detaches an execution: the session waits for it, the loop continues with another.</summary>
    public void Suspend(SessionExecution execution, ExecutionState state)
    {
        execution.State = state;
        execution.Session.Suspended = execution;
        if (!execution.OwnsArguments)
            execution.OwnArguments();
        Suspended.Add(execution);
        if (execution != Current)
            return;
        SessionExecution next = _pool.Take();
        next.Reply = execution.Reply;
        next.StringLengthMax = execution.StringLengthMax;
        execution.Reply = default;
        Current = next;
    }

    /// <summary>Makes a detached execution the loop's own again.</summary>
    public void MakeCurrent(SessionExecution execution)
    {
        Suspended.Remove(execution);
        execution.Reply = Current.Reply;
        Current.Reply = default;
        Recycle(Current);
        Current = execution;
        ExecutionActivity.NoteCurrent(execution);
    }

    /// <summary>Returns a finished execution to the pool.</summary>
    public void Recycle(SessionExecution execution)
    {
        Suspended.Remove(execution);
        _pool.Return(execution);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Suspended.Dispose();
        Current.Dispose();
        _pool.Dispose();
    }
}
