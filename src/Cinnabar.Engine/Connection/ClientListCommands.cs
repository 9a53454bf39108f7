using System;
using System.Collections.Generic;
using System.Threading;
using Cinnabar.Commands;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

/// <summary>
/// CLIENT LIST and CLIENT KILL. Sessions are read as they are; those to be closed are marked (which hides
/// them) and left to their loops' next turn. KILL replies when the loops have closed them: no command of
/// theirs begins after the reply, and none of them is counted. Other clients are served meanwhile.
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
        foreach (Session session in execution.Engine.Sessions.All)
        {
            bool isSkipped = session.IsKilled || (filter.SkipsOwn && session == execution.Session);
            if (!isSkipped && filter.Matches(session))
                ClientDescription.Append(text, session, nowMs);
        }

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
        bool isOwnKilled = false;
        HashSet<ISessionLoop> loops = [];
        foreach (Session session in execution.Engine.Sessions.All)
        {
            if (session.IsKilled || (filter.SkipsOwn && session == execution.Session)
                || !filter.Matches(session))
                continue;
            count++;
            if (session == execution.Session)
                isOwnKilled = true;
            else
                Kill(session, loops);
        }

        // In a transaction no command waits.
        if (loops.Count != 0 && execution.CanWait)
            return AnswerWhenClosed(
                execution, loops, waiter => Answer(waiter, count, isOldForm, isOwnKilled));
        Answer(execution, count, isOldForm, isOwnKilled);
        return Outcome.Done;
    }

    private static void Kill(Session session, HashSet<ISessionLoop> loops)
    {
        session.IsKilled = true;
        session.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Kill, Target = session });
        loops.Add(session.Loop);
    }

    private static void Answer(SessionExecution execution, long count, bool isOldForm, bool isOwnKilled)
    {
        // Not before: a session that waits with this flag has nothing more to be sent, and is closed.
        if (isOwnKilled)
            execution.Session.ChangeFlags(SessionFlags.CloseAfterReply, SessionFlags.None);
        if (!isOldForm)
            execution.Reply.Integer(count);
        else if (count > 0)
            execution.Reply.Ok();
        else
            execution.Reply.Error("ERR No such client"u8);
    }

    private static Outcome AnswerWhenClosed(
        SessionExecution execution, HashSet<ISessionLoop> loops, Action<SessionExecution> answer)
    {
        Outcome outcome = execution.Block(long.MaxValue, answer, isForLoops: true);
        Waiter waiter = execution.Waiter!;
        var own = (Loop)execution.Loop;
        int busyCount = loops.Count;
        foreach (ISessionLoop loop in loops)
        {
            // Behind what closes the sessions. The last one tells the waiter's loop, which finds it waiting:
            // it reads its mail in a later turn.
            loop.Run(() =>
            {
                if (Interlocked.Decrement(ref busyCount) == 0)
                    own.Run(() => own.Runner.Suspended.EndWait(waiter));
            });
        }

        return outcome;
    }
}
