using System.Collections.Concurrent;
using System.Linq;
using Cinnabar.Engine.Configuration;
using Cinnabar.Memory;
using Cinnabar.Platform;
using Cinnabar.Security.Users;

namespace Cinnabar.Engine.Sessions;

/// <summary>All sessions of a server, by identifier. Any thread may read; fields of sessions are read as they
/// are.</summary>
/// <param name="settings">The server's.</param>
/// <param name="clock">The server's.</param>
/// <param name="users">The server's.</param>
/// <param name="closed">Ends the watches and subscriptions of a closed session.</param>
/// <param name="pages">The server's memory.</param>
internal sealed class SessionRegistry(
    Settings settings, Clock clock, UserTable users, Action<Session> closed, PageSource pages)
    : IDisposable
{
    private readonly Settings _settings = settings;
    private readonly Clock _clock = clock;
    private readonly UserTable _users = users;
    private readonly Action<Session> _closed = closed;
    private readonly ConcurrentDictionary<long, Session> _sessions = new();
    private SessionList? _list;
    private long _version;
    private long _idLast;
    private long _count;
    private long _acceptedCount;
    private long _rejectedCount;

    /// <summary>What clients have sent that is not executed: half commands and queued ones.</summary>
    public CountedMemory Buffers { get; } = new(pages, "client buffers");

    /// <summary>What is kept on the managed heap for clients: their names, watches, waits, subscriptions and
    /// prefixes, the items of replies that they have not taken, scripts. By estimates.</summary>
    public CountedMemory Records { get; } = new(pages, "client records");

    /// <summary>Number of open sessions.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <summary>Connections accepted since the start or CONFIG RESETSTAT.</summary>
    public long AcceptedCount => Interlocked.Read(ref _acceptedCount);

    /// <summary>Connections refused because of <c>maxclients</c> or in protected mode.</summary>
    public long RejectedCount => Interlocked.Read(ref _rejectedCount);

    /// <summary>The open sessions, oldest first.</summary>
    public ReadOnlySpan<Session> All => List(isSorted: true);

    /// <summary>The open sessions, in no order, for sums.</summary>
    public ReadOnlySpan<Session> Unordered => List(isSorted: false);

    internal bool IsListed(Session session) =>
        Volatile.Read(ref _list) is { } list && list.Sessions.Contains(session);

    /// <summary>The session of an identifier, or null.</summary>
    public Session? Find(long id) => _sessions.GetValueOrDefault(id);

    /// <summary>Opens a session on its loop, or gives the reason for a refusal.</summary>
    public Session? Open(ISessionLoop loop, SessionEndpoint endpoint, out ReadOnlySpan<byte> refusal)
    {
        refusal = default;
        if (Interlocked.Increment(ref _count) > _settings.ClientsMax
            && endpoint.Kind != ConnectionKind.InProcess)
        {
            Interlocked.Decrement(ref _count);
            Interlocked.Increment(ref _rejectedCount);
            refusal = "-ERR max number of clients reached\r\n"u8;
            return null;
        }

        if (_settings.IsProtected && !_settings.HasDefaultPassword && !endpoint.IsLoopback)
        {
            Interlocked.Decrement(ref _count);
            Interlocked.Increment(ref _rejectedCount);
            refusal = ProtectedMode.Error;
            return null;
        }

        Interlocked.Increment(ref _acceptedCount);
        long id = Interlocked.Increment(ref _idLast);
        var session = new Session(id, loop, endpoint, _clock.UnixMicroseconds / 1000);
        session.BeginAccess(_users.Default, _settings.IsPasswordRequired);
        if (endpoint.IsTrusted)
            session.LogIn(_users.Server);
        _sessions[id] = session;
        ForgetList();
        loop.Sessions.Add(session);
        return session;
    }

    /// <summary>Makes a session that stands for the link to the server's master: it has an identifier, and is
    /// not among the open ones.</summary>
    public Session ForMaster(ISessionLoop loop, SessionEndpoint endpoint)
    {
        long id = Interlocked.Increment(ref _idLast);
        var session = new Session(id, loop, endpoint, _clock.UnixMicroseconds / 1000);
        session.LogIn(_users.Server);
        session.ChangeFlags(SessionFlags.Master, SessionFlags.None);
        return session;
    }

    /// <summary>Forgets a closed session and ends what it held.</summary>
    public void Remove(Session session)
    {
        if (!_sessions.TryRemove(session.Id, out _))
            return;
        ForgetList();
        session.Loop.Sessions.Remove(session);
        Interlocked.Decrement(ref _count);
        // The slow lane uses it until the loop has the execution back.
        if (session.SuspendedWork is not { IsWithLane: true })
            Release(session);
    }

    /// <summary>
    /// Ends what a closed session's executions have used: its transaction, its watches, its subscriptions.
    /// </summary>
    public void Release(Session session)
    {
        session.Transaction?.Dispose();
        session.Transaction = null;
        Rename(session, [], [], []);
        _closed(session);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Buffers.Dispose();
        Records.Dispose();
    }

    /// <summary>Gives a session other names. On its loop, or as its command.</summary>
    /// <param name="session">The session.</param>
    /// <param name="name">Its own.</param>
    /// <param name="library">That of its client's library.</param>
    /// <param name="version">The version of that.</param>
    public void Rename(Session session, byte[] name, byte[] library, byte[] version)
    {
        long before = session.NameBytes;
        (session.Name, session.LibraryName, session.LibraryVersion) = (name, library, version);
        Records.Add(session.NameBytes - before);
    }

    /// <summary>Starts the counters over.</summary>
    public void ResetStatistics()
    {
        Interlocked.Exchange(ref _acceptedCount, 0);
        Interlocked.Exchange(ref _rejectedCount, 0);
    }

    // Made again, without a lock, where sessions have come or gone.
    private Session[] List(bool isSorted)
    {
        // ORDER: the version before the sessions: one that comes or goes meanwhile makes the list an old one.
        long version = Interlocked.Read(ref _version);
        if (Volatile.Read(ref _list) is { } list && list.Version == version && (list.IsSorted || !isSorted))
            return list.Sessions;
        var sessions = new List<Session>();
        foreach ((_, Session session) in _sessions)
            sessions.Add(session);
        if (isSorted)
            sessions.Sort(static (one, other) => one.Id.CompareTo(other.Id));
        list = new SessionList(version, isSorted, [.. sessions]);
        // ORDER: the list before the version, with a full barrier: a thread that removes a session counts
        // first and forgets the list then. Either that is after this, or it is seen here: no closed session
        // stays listed.
        Interlocked.Exchange(ref _list, list);
        if (Interlocked.Read(ref _version) != version)
            Interlocked.CompareExchange(ref _list, null, list);
        return list.Sessions;
    }

    private void ForgetList()
    {
        Interlocked.Increment(ref _version);
        // Must not keep closed sessions alive.
        Volatile.Write(ref _list, null);
    }

    private sealed record SessionList(long Version, bool IsSorted, Session[] Sessions);
}
