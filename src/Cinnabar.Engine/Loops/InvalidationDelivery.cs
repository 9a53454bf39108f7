// Sends a session's invalidations (InvalidationQueue) between its replies, at the places that keep what its
// client caches right (docs/adr/0032):
//
//  * before a reply, under the locks of its command: the invalidations of all changes that it may show;
//  * behind a reply: those of its own changes, and others;
//  * when the loop is notified, unless a reply is being made off the loop, which they may have to follow.

using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Loops;

/// <summary>Sends the invalidations of a loop's sessions.</summary>
internal sealed unsafe class InvalidationDelivery(Loop loop, SessionOutput output)
{
    private const int HeadBytesMax = 64;

    private static ReadOnlySpan<byte> PushHead => ">2\r\n$10\r\ninvalidate\r\n"u8;

    private static ReadOnlySpan<byte> MessageHead =>
        "*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n"u8;

    private static ReadOnlySpan<byte> BrokenHead => ">2\r\n$21\r\ntracking-redir-broken\r\n:"u8;

    /// <summary>Before a command, whose locks are held, replies.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void ShowBefore(SessionExecution execution)
    {
        if ((execution.Session.Flags & SessionFlags.Tracking) != 0 && !execution.Reply.IsMuted)
            Show(execution.Session, long.MaxValue);
    }

    /// <summary>Behind the reply to a command.</summary>
    public void EndCommand(Session session)
    {
        // CLIENT CACHING is for the next command, or for a transaction.
        if (session.Tracking is { IsCachingChosen: true } tracking
            && (session.Flags & SessionFlags.InTransaction) == 0
            && session.LastCommand?.Parent?.Name != "client")
            tracking.IsCachingChosen = false;
        Show(session, long.MaxValue);
    }

    /// <summary>When the loop is notified.</summary>
    public void Deliver(Session session)
    {
        if (!loop.Has(session))
        {
            // It moves, or has closed.
            if (!session.IsClosed)
                session.Invalidations!.Notify();
            return;
        }

        session.Invalidations!.BeginDelivery();
        if (session.SuspendedWork is not { IsReplyAhead: true })
            Show(session, long.MaxValue);
    }

    /// <summary>Sends what comes before a position.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Show(Session session, long position)
    {
        if (session.Invalidations is not { IsEmpty: false } queue || session.IsClosed)
            return;
        while (queue.TryTake(position, out Invalidation invalidation))
        {
            if (!session.IsClosed)
                Show(session, in invalidation);
            // SAFETY: the invalidation's reference of the block is this method's.
            if (invalidation.Block != null)
                invalidation.Block->Release();
        }
    }

    private void Show(Session session, in Invalidation invalidation)
    {
        bool isPush = session.Protocol >= 3;
        // A client of RESP2 gets those of another session alone, as messages.
        if (!isPush && !(invalidation.IsRedirected && (session.Flags & SessionFlags.Subscribed) != 0))
            return;
        if (invalidation.Kind == InvalidationKind.RedirectBroken)
        {
            Span<byte> text = stackalloc byte[HeadBytesMax];
            BrokenHead.CopyTo(text);
            int length = BrokenHead.Length;
            length += RedisNumber.FormatInt64(invalidation.RedirectId, text[length..]);
            "\r\n"u8.CopyTo(text[length..]);
            output.Push(session, text[..(length + 2)], default);
            return;
        }

        ReadOnlySpan<byte> head = isPush ? PushHead : MessageHead;
        if (invalidation.Kind == InvalidationKind.All)
            output.Push(session, head, isPush ? "_\r\n"u8 : "$-1\r\n"u8);
        else
            output.Push(session, head, new ReadOnlySpan<byte>(invalidation.Block->Data, invalidation.Length));
    }
}
