namespace Cinnabar.Engine.Mail;

/// <summary>What a message asks of a loop.</summary>
internal enum MailboxMessageKind : byte
{
    /// <summary>Nothing: the message was delivered early.</summary>
    None,

    /// <summary>Target: a suspended execution to resume.</summary>
    Resume,

    /// <summary>Target: a subscription; append the bytes to its session's output unless it has
    /// ended.</summary>
    Publish,

    /// <summary>Target: a session; append the bytes to its output if it still monitors.</summary>
    Monitor,

    /// <summary>Target: a session to close.</summary>
    Kill,

    /// <summary>Target: a session whose waiting input may be executed.</summary>
    Continue,

    /// <summary>Target: a session that has invalidations to be sent.</summary>
    Invalidate,

    /// <summary>Target: a session that another loop has given to this one.</summary>
    Move,

    /// <summary>Target: an <see cref="System.Action"/> to run on the loop.</summary>
    Run,
}
