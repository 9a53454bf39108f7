namespace Cinnabar.Engine.Sessions;

/// <summary>States of a session that keep its commands off the shortest path.</summary>
[Flags]
public enum SessionFlags
{
    /// <summary>Nothing special.</summary>
    None = 0,

    /// <summary>The client has not authenticated and must.</summary>
    Unauthenticated = 1 << 0,

    /// <summary>Between MULTI and EXEC.</summary>
    InTransaction = 1 << 1,

    /// <summary>A command was refused since MULTI: EXEC will abort.</summary>
    TransactionBroken = 1 << 2,

    /// <summary>Has subscriptions.</summary>
    Subscribed = 1 << 3,

    /// <summary>CLIENT REPLY OFF.</summary>
    RepliesOff = 1 << 4,

    /// <summary>CLIENT REPLY SKIP: the next command is not answered.</summary>
    SkipNextReply = 1 << 5,

    /// <summary>The command now executing is not answered.</summary>
    SkipReply = 1 << 6,

    /// <summary>Closes once its replies are sent.</summary>
    CloseAfterReply = 1 << 7,

    /// <summary>Gets the commands of all others.</summary>
    Monitor = 1 << 8,

    /// <summary>CLIENT NO-TOUCH.</summary>
    NoTouch = 1 << 9,

    /// <summary>CLIENT IMPORT-SOURCE.</summary>
    ImportSource = 1 << 10,

    /// <summary>Its user may not do everything.</summary>
    Restricted = 1 << 11,

    /// <summary>CLIENT TRACKING ON.</summary>
    Tracking = 1 << 12,

    /// <summary>Gets this server's stream as its replica; its commands are not answered.</summary>
    Replica = 1 << 13,

    /// <summary>Stands for the link to this server's master; no commands come by it.</summary>
    Master = 1 << 14,

    /// <summary>Its commands are not answered.</summary>
    Unanswered = RepliesOff | SkipReply | Replica,
}
