namespace Cinnabar.Engine.Durability;

/// <summary>How far the rewrite of the append-only file is: its base is written and the stream is switched to
/// the next increment, in whichever order; then it can be adopted. Not thread-safe.</summary>
internal sealed class RewriteProgress
{
    /// <summary>What it waits for.</summary>
    public RewritePhase Phase { get; private set; }

    /// <summary>Whether its base or its switch has failed: it will not be adopted.</summary>
    public bool HasFailed { get; private set; }

    /// <summary>Whether it was given up.</summary>
    public bool IsKilled { get; private set; }

    /// <summary>Whether one is under way.</summary>
    public bool IsUnderWay => Phase != RewritePhase.None;

    /// <summary>Whether its base is still being written.</summary>
    public bool IsBaseAwaited => Phase is RewritePhase.BaseAndSwitch or RewritePhase.Base;

    /// <summary>Whether the stream is still to be switched.</summary>
    public bool IsSwitchAwaited => Phase is RewritePhase.BaseAndSwitch or RewritePhase.Switch;

    /// <summary>One begins.</summary>
    /// <param name="hasSwitch">Whether the stream is to be switched; else its increment is a new one.</param>
    public void Begin(bool hasSwitch)
    {
        Enter(hasSwitch ? RewritePhase.BaseAndSwitch : RewritePhase.Base);
        (HasFailed, IsKilled) = (false, false);
    }

    /// <summary>Its base is written, or has failed.</summary>
    public void EndBase(bool isWritten)
    {
        Debug.Assert(IsBaseAwaited, "a base is written once");
        Enter(IsSwitchAwaited ? RewritePhase.Switch : RewritePhase.Complete);
        HasFailed |= !isWritten;
    }

    /// <summary>The stream is switched, or cannot be.</summary>
    public void EndSwitch(bool isDone)
    {
        Debug.Assert(IsSwitchAwaited, "the stream is switched once");
        Enter(IsBaseAwaited ? RewritePhase.Base : RewritePhase.Complete);
        HasFailed |= !isDone;
    }

    /// <summary>It is given up: a base that is still being written fails.</summary>
    public void Kill()
    {
        Debug.Assert(IsUnderWay && !IsKilled, "one rewrite is killed once");
        IsKilled = true;
    }

    /// <summary>It has been adopted, or removed.</summary>
    public void End() => Enter(RewritePhase.None);

    private void Enter(RewritePhase next)
    {
        Debug.Assert(IsAllowed(Phase, next), $"a rewrite goes from {Phase} to {next}");
        Phase = next;
    }

    private static bool IsAllowed(RewritePhase phase, RewritePhase next) => phase switch
    {
        RewritePhase.None => next is RewritePhase.BaseAndSwitch or RewritePhase.Base,
        RewritePhase.BaseAndSwitch => next is RewritePhase.Base or RewritePhase.Switch,
        RewritePhase.Base or RewritePhase.Switch => next == RewritePhase.Complete,
        _ => next == RewritePhase.None,
    };
}
