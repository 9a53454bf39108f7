namespace Cinnabar.Commands;

/// <summary>Where a handler is called, and so which outcomes it may return.</summary>
public enum ExecutionPlace : byte
{
    /// <summary>On a loop: a command that costs too much leaves it.</summary>
    OnLoop,

    /// <summary>Off the loops, with its keys: it may still release them.</summary>
    OffLoop,

    /// <summary>Off the loops, with nothing but the values that were kept of its keys.</summary>
    WithoutKeys,

    /// <summary>On the thread of the command that made its key ready: it ends here or waits on.</summary>
    Served,

    /// <summary>In a transaction: it ends here.</summary>
    Nested,
}
