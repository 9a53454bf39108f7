using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

/// <summary>
/// CLIENT LIST and CLIENT KILL. Sessions are read as they are; those to close are marked (which hides them),
/// and their loops close them in the next turn. KILL replies when the loops have closed them: after the reply
/// none of their commands begins, and none of them is counted. Other clients are served meanwhile. The link
/// to a master is listed and killed as a client, too.
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
        using var text = new InfoText();
        foreach (Session session in filter.Candidates(execution.Engine.Sessions))
        {
            bool isSkipped = session.IsKilled || (filter.SkipsOwn && session == execution.Session);
            if (!isSkipped && filter.Matches(session))
                ClientDescription.Append(text, session, nowMs);
        }

        if (execution.Engine.Replica.Link?.Client is { } master && filter.Matches(master))
            ClientDescription.Append(text, master, nowMs);

        execution.Reply.Verbatim("txt"u8, text.Written);
    }

    /// <summary>CLIENT KILL ip:port, or CLIENT KILL filter value [filter value ...]</summary>
    public static Outcome Kill(SessionExecution execution)
    {
        bool isOldForm = execution.ArgumentCount == 3;
        var filter = new ClientFilter { NowMs = execution.Engine.Clock.UnixMicroseconds / 1000,
            SkipsOwn = !isOldForm };
        if (isOldForm)
            filter.AddAddress(execution.Argument(2));
        else if (!filter.TryParse(execution, FirstFilter))
            return Outcome.Done;
        long count = 0;
        if (execution.Engine.Replica.Link is { Client: { } master } link && filter.Matches(master))
        {
            link.Drop();
            count++;
        }

        bool isOwnKilled = false;
        List<Session> killed = [];
        foreach (Session session in filter.Candidates(execution.Engine.Sessions))
        {
            if (session.IsKilled || (filter.SkipsOwn && session == execution.Session)
                || !filter.Matches(session))
                continue;
            count++;
            if (session == execution.Session)
                isOwnKilled = true;
            else
                killed.Add(session);
        }

        foreach (Session session in killed)
        {
            session.IsKilled = true;
            session.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Kill, Target = session });
        }

        // In a transaction no command waits.
        if (killed.Count == 0 || !execution.CanWait)
        {
            Answer(execution, count, isOldForm, isOwnKilled);
            return Outcome.Done;
        }

        Outcome outcome = execution.Block(
            long.MaxValue, waiter => Answer(waiter, count, isOldForm, isOwnKilled), isForLoops: true);
        AwaitClosed(killed, execution.Loop, execution.Waiter!);
        return outcome;
    }

    private static void Answer(SessionExecution execution, long count, bool isOldForm, bool isOwnKilled)
    {
        // Not earlier: a waiting session with this flag has no more output, and is closed.
        if (isOwnKilled)
            execution.Session.ChangeFlags(SessionFlags.CloseAfterReply, SessionFlags.None);
        if (!isOldForm)
            execution.Reply.Integer(count);
        else if (count > 0)
            execution.Reply.Ok();
        else
            execution.Reply.Error("ERR No such client"u8);
    }

    // Passes from loop to loop, behind the messages that close the sessions of each: a session that was just
    // moving may take two rounds. At the end the waiter's loop finds it waiting: it reads its mail in a later
    // turn.
    private static void AwaitClosed(List<Session> killed, IExecutionLoop own, Waiter waiter)
    {
        if (killed.Find(static session => !session.IsClosed) is { } open)
            open.Loop.Run(() => AwaitClosed(killed, own, waiter));
        else
            own.Run(() => own.EndWait(waiter));
    }
}
