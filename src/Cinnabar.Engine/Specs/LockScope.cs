namespace Cinnabar.Engine.Specs;

/// <summary>Which stripes an execution of a command takes before it starts.</summary>
public enum LockScope : byte
{
    /// <summary>Those of its keys.</summary>
    Keys,

    All,

    /// <summary>The few that it chooses itself, from its arguments and the sizes of the stripes; in a
    /// transaction all.</summary>
    Chosen,

    /// <summary>None: a data command that reads only counters.</summary>
    None,

    /// <summary>None: it runs inside the session and takes its own locks.</summary>
    Session,

    /// <summary>Those of the watched keys and of the commands that were queued: EXEC.</summary>
    Transaction,
}
