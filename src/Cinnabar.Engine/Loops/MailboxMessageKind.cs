namespace Cinnabar.Engine.Loops;

/// <summary>What a message asks of a loop.</summary>
internal enum MailboxMessageKind : byte
{
    /// <summary>Target: a suspended execution that may go on.</summary>
    Resume,

    /// <summary>Target: a session; append the bytes to its output (pub/sub, monitor).</summary>
    Deliver,

    /// <summary>Target: a session to close.</summary>
    Kill,

    /// <summary>Target: a session whose waiting input may go on.</summary>
    Continue,

    /// <summary>Target: an <see cref="System.Action"/> to run on the loop.</summary>
    Run,
}
