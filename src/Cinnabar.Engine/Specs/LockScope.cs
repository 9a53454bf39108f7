namespace Cinnabar.Engine.Specs;

/// <summary>Which stripes an execution of a command takes before it starts.</summary>
public enum LockScope : byte
{
    /// <summary>Those of its keys.</summary>
    Keys,

    /// <summary>All.</summary>
    All,

    /// <summary>None: a data command that reads only counters.</summary>
    None,

    /// <summary>None: it runs inside the session and sees to its own locks.</summary>
    Session,
}
