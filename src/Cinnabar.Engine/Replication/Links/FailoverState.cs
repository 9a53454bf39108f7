namespace Cinnabar.Engine.Replication.Links;

/// <summary>How far the handing over of a master's role is.</summary>
internal enum FailoverState
{
    /// <summary>None is under way.</summary>
    None,

    /// <summary>Writers are held until a replica has the whole stream.</summary>
    WaitingForSync,

    /// <summary>The server is a replica of the target, and asks it to become the master.</summary>
    InProgress,
}
