// Moving sessions to another loop: one operation, between two turns, for sessions with nothing under way
// (Session.IsMovable). So nothing but the session and its descriptor changes hands.
//
//   old loop                                        new loop
//   the transport parts with the descriptor
//   Session.IsMoving, then Session.Loop changes     messages for the session come here from now on, and
//                                                   are put back until it has come itself
//   a message of kind Move                    ->    the session is listed, the transport takes the descriptor
//
// Messages posted to the old loop before the change arrive there afterwards: a CLIENT KILL follows the
// session; all others were for a state that it had left before the move, and are dropped.

using Cinnabar.Engine.Access;
using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>Moves sessions of one loop to others, and adopts those that others give.</summary>
internal sealed class SessionMoves(Loop loop, SessionClosing closing)
{
    // Clients wait meanwhile: a move costs some microseconds.
    private const int GivenCountMax = 256;
    private const int SeenCountMax = 4096;

    private readonly Loop _loop = loop;
    private readonly SessionClosing _closing = closing;

    /// <summary>Whether at least two sessions have been active since a time.</summary>
    public bool HasTwoActive(long sinceMs)
    {
        LoopSessions sessions = _loop.Sessions;
        int count = 0;
        for (int left = Math.Min(sessions.Count, SeenCountMax); left > 0 && count < 2; left--)
            count += sessions.Next().LastInteractionMs >= sinceMs ? 1 : 0;
        return count == 2;
    }

    /// <summary>Gives some sessions to another loop; see <see cref="Loop.GiveSessions"/>.</summary>
    public void Give(Loop target, double share, long sinceMs)
    {
        Debug.Assert(share is >= 0 and <= 1, "a share is a part of the whole");
        LoopSessions sessions = _loop.Sessions;
        double due = 0;
        int count = 0;
        for (int left = Math.Min(sessions.Count, SeenCountMax); left > 0 && count < GivenCountMax; left--)
        {
            Session session = sessions.Next();
            if (session.LastInteractionMs < sinceMs)
                continue;
            due += share;
            if (due < 1 || !TryGive(session, target))
                continue;
            due--;
            count++;
        }
    }

    /// <summary>Takes a session that another loop has given to this one.</summary>
    public void Adopt(Session session)
    {
        Debug.Assert(session.Loop == _loop, "a session moves to the loop that it names");
        session.EndMove();
        _loop.Sessions.Add(session);
        AccessControl.Refresh(session);
        _loop.Transport.Adopt(session);
    }

    /// <summary>Closes a session that CLIENT KILL has chosen, on whichever loop it is.</summary>
    public void Kill(Session session)
    {
        if (_loop.Has(session))
            _closing.Close(session);
        else
            session.Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Kill, Target = session });
    }

    private bool TryGive(Session session, Loop target)
    {
        // One that is killed would run away from the message that closes it.
        if (session.IsKilled || !session.IsMovable || !_loop.Transport.TryRelease(session))
            return false;
        _loop.Sessions.Remove(session);
        session.BeginMove(target);
        target.Post(new MailboxMessage { Kind = MailboxMessageKind.Move, Target = session });
        return true;
    }
}
