namespace Cinnabar.Lua.Running;

/// <summary>What a coroutine is doing.</summary>
internal enum ThreadStatus
{
    /// <summary>It waits to be resumed.</summary>
    Suspended,
    Running,

    /// <summary>It waits for a coroutine that it resumed.</summary>
    Normal,

    /// <summary>It has ended.</summary>
    Dead,
}
