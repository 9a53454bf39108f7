namespace Cinnabar.Engine.Sessions;

/// <summary>The open sessions of one loop, unordered; only the loop uses them. A cursor visits them in
/// slices.</summary>
internal sealed class LoopSessions
{
    private const int CapacityMin = 16;

    private Session[] _items = new Session[CapacityMin];
    private int _cursor;

    /// <summary>How many there are; any thread may ask.</summary>
    public int Count { get; private set; }

    /// <summary>All of them; until one comes or goes.</summary>
    public ReadOnlySpan<Session> All => _items.AsSpan(0, Count);

    public void Add(Session session)
    {
        if (Count == _items.Length)
            Array.Resize(ref _items, 2 * Count);
        session.LoopPlace = Count;
        _items[Count++] = session;
    }

    /// <summary>Removes a session; the last one takes its place.</summary>
    public void Remove(Session session)
    {
        Debug.Assert(Count > 0 && session.LoopPlace >= 0 && _items[session.LoopPlace] == session,
            "a session is removed once, from its own loop");
        Session last = _items[--Count];
        _items[Count] = null!;
        if (last != session)
        {
            _items[session.LoopPlace] = last;
            last.LoopPlace = session.LoopPlace;
        }

        session.LoopPlace = -1;
    }

    /// <summary>
    /// The next session of the round; there must be one. A round of calls, one a session, visits all sessions
    /// that stay.
    /// </summary>
    public Session Next()
    {
        Debug.Assert(Count > 0, "there is no session to visit");
        // Backwards: the session that takes the place of one that goes has been seen in this round.
        if (--_cursor < 0 || _cursor >= Count)
            _cursor = Count - 1;
        return _items[_cursor];
    }
}
