namespace Cinnabar.Engine.Sessions;

/// <summary>A suspended execution, as its session sees it.</summary>
internal interface ISuspendedWork
{
    /// <summary>Whether the slow lane has it, or the loop has not yet taken it back.</summary>
    bool IsWithLane { get; }

    /// <summary>Whether another thread makes its reply, or has made it: invalidations that come meanwhile may
    /// concern what it replies.</summary>
    bool IsReplyAhead { get; }

    /// <summary>Whether it waits for a key or a time, however long.</summary>
    bool IsBlocked { get; }
}
