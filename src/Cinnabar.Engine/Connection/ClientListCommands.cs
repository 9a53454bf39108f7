using System.Text;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

/// <summary>
/// CLIENT LIST and CLIENT KILL. Neither waits for a busy loop: sessions are read as they are, and those to be
/// closed are marked (which hides them) and left to their loops' next turn.
/// </summary>
internal static class ClientListCommands
{
    private const int FirstFilter = 2;

    /// <summary>CLIENT LIST [filter value ...]</summary>
    public static void List(SessionExecution execution)
    {
        long nowMs = execution.Engine.Clock.UnixMicroseconds / 1000;
        var filter = new ClientFilter { IsForList = true, NowMs = nowMs };
        if (!filter.TryParse(execution, FirstFilter))
            return;
        var text = new StringBuilder();
        foreach (Session session in execution.Engine.Sessions.All)
        {
            bool isSkipped = session.IsKilled || (filter.SkipsOwn && session == execution.Session);
            if (!isSkipped && filter.Matches(session))
                ClientDescription.Append(text, session, nowMs);
        }

        execution.Reply.Verbatim("txt"u8, Encoding.Latin1.GetBytes(text.ToString()));
    }

    /// <summary>CLIENT KILL ip:port, or CLIENT KILL filter value [filter value ...]</summary>
    public static void Kill(SessionExecution execution)
    {
        bool isOldForm = execution.ArgumentCount == 3;
        var filter = new ClientFilter { NowMs = execution.Engine.Clock.UnixMicroseconds / 1000,
            SkipsOwn = !isOldForm };
        if (isOldForm)
            filter.AddAddress(execution.Argument(2));
        else if (!filter.TryParse(execution, FirstFilter))
            return;
        long count = 0;
        foreach (Session session in execution.Engine.Sessions.All)
        {
            if (session.IsKilled || (filter.SkipsOwn && session == execution.Session)
                || !filter.Matches(session))
                continue;
            count++;
            Kill(session, execution.Session);
        }

        if (!isOldForm)
            execution.Reply.Integer(count);
        else if (count > 0)
            execution.Reply.Ok();
        else
            execution.Reply.Error("ERR No such client"u8);
    }

    private static void Kill(Session session, Session killer)
    {
        if (session == killer)
        {
            session.ChangeFlags(SessionFlags.CloseAfterReply, SessionFlags.None);
            return;
        }

        session.IsKilled = true;
        session.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Kill, Target = session });
    }
}
