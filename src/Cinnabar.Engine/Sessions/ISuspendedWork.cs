namespace Cinnabar.Engine.Sessions;

/// <summary>A suspended execution, as its session sees it.</summary>
internal interface ISuspendedWork
{
    /// <summary>Whether the slow lane has it, or the loop has not yet taken it back.</summary>
    bool IsWithLane { get; }

    /// <summary>Whether it waits for a key or a time, however long.</summary>
    bool IsBlocked { get; }
}
