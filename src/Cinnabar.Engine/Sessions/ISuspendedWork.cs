namespace Cinnabar.Engine.Sessions;

/// <summary>What a session waits for: an execution, as the session sees it.</summary>
internal interface ISuspendedWork
{
    /// <summary>Whether the slow lane has it, or had it and the loop has not taken it back.</summary>
    bool IsWithLane { get; }

    /// <summary>Whether it waits for a key or a time, however long.</summary>
    bool IsBlocked { get; }
}
