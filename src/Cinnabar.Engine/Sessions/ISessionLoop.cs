using Cinnabar.Engine.Mail;

namespace Cinnabar.Engine.Sessions;

/// <summary>The loop that a session belongs to, as those below the loops see it.</summary>
internal interface ISessionLoop
{
    /// <summary>Position among the server's loops.</summary>
    int Index { get; }

    /// <summary>The sessions that the loop has opened and not closed.</summary>
    LoopSessions Sessions { get; }

    /// <summary>Sends the loop a message. From any thread.</summary>
    void Post(in MailboxMessage message);

    /// <summary>Runs an action within a turn of the loop. From any thread.</summary>
    void Run(Action action);
}
