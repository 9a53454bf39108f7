using Cinnabar.Memory;

namespace Cinnabar.Engine.Mail;

/// <summary>One message to a loop.</summary>
internal unsafe struct MailboxMessage
{
    /// <summary>What to do.</summary>
    public MailboxMessageKind Kind;

    /// <summary>The session, execution or action it is about.</summary>
    public object? Target;

    /// <summary>Bytes to deliver, one reference of which belongs to the message.</summary>
    public SharedBlock* Block;

    /// <summary>Number of these bytes.</summary>
    public int Length;
}
