using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Specs;
using Cinnabar.Memory;
using Cinnabar.Messaging;
using Cinnabar.Security.Users;

namespace Cinnabar.Engine.Sessions;

/// <summary>
/// A client's session: the one managed object of a connection. It belongs to its loop; other threads read its
/// fields as they are (CLIENT LIST) and change it only through the loop's mailbox. It owns memory only while
/// it has half a command (<see cref="Partial"/>), unsent bytes (<see cref="Unsent"/>), a transaction or
/// subscriptions.
/// </summary>
public sealed class Session : ISubscriber
{
    /// <summary>The capability to follow redirections.</summary>
    internal const uint RedirectCapability = 1;

    // The flags that a session may have when it moves to another loop.
    private const SessionFlags MovableFlags = SessionFlags.Unauthenticated | SessionFlags.RepliesOff
        | SessionFlags.SkipNextReply | SessionFlags.NoTouch | SessionFlags.ImportSource
        | SessionFlags.Restricted;

    private int _flags;
    private long _recordBytes;
    private bool _isKilled;
    private bool _isMoving;
    private ISessionLoop _loop;
    private InvalidationQueue? _invalidations;

    internal Session(long id, ISessionLoop loop, SessionEndpoint endpoint, long nowMs)
    {
        Id = id;
        _loop = loop;
        Endpoint = endpoint;
        CreatedMs = nowMs;
        LastInteractionMs = nowMs;
    }

    /// <summary>CLIENT ID.</summary>
    public long Id { get; }

    /// <summary>Its addresses.</summary>
    public SessionEndpoint Endpoint { get; internal set; }

    /// <summary>For the transport's state of the connection.</summary>
    public object? TransportState { get; set; }

    /// <summary>For the transport: an index or a descriptor.</summary>
    public int TransportHandle { get; set; } = -1;

    /// <summary>Whether the loop has closed it.</summary>
    // Its own field: the slow lane may write flags while the loop closes the session.
    public bool IsClosed
    {
        get;
        internal set
        {
            Debug.Assert(value && !field && !IsMoving, "a session is closed once, by its loop");
            field = value;
        }
    }

    /// <summary>Whether the rest of its input is discarded.</summary>
    internal bool IsClosing => IsClosed || (Flags & SessionFlags.CloseAfterReply) != 0;

    /// <summary>Its loop. It may change for a session that <see cref="IsMovable"/>; messages go to the loop
    /// that is read here.</summary>
    internal ISessionLoop Loop => Volatile.Read(ref _loop);

    /// <summary>Whether its loop has yet to take it over from another one.</summary>
    internal bool IsMoving => Volatile.Read(ref _isMoving);

    /// <summary>Whether it can move to another loop: it has no pending input, output, command, transaction,
    /// watch or subscription. On its loop, between two turns.</summary>
    internal bool IsMovable => !IsClosed && (Flags & ~MovableFlags) == 0 && Partial is null
        && Unsent is null && SuspendedWork is null && Transaction is null && Watches is null
        && Subscriptions is null && Debugging is null && InputCount == 0 && !IsReadingStopped && !IsInputEnded
        && !HasOwnMessages && MessageLast < 0;

    /// <summary>While messages are delivered: the last one for it so far; −1: none.</summary>
    internal int MessageLast { get; set; } = -1;

    internal SessionFlags Flags
    {
        get => (SessionFlags)_flags;
        set
        {
            _flags = (int)value;
            AssertFlags();
        }
    }

    /// <summary>Whether CLIENT KILL has chosen it; its loop closes it in its next turn. From any
    /// thread.</summary>
    internal bool IsKilled
    {
        get => Volatile.Read(ref _isKilled);
        set => Volatile.Write(ref _isKilled, value);
    }

    /// <summary>Whether it has published to itself: the message goes right behind the reply.</summary>
    internal bool HasOwnMessages { get; set; }

    internal int Database { get; set; }

    internal int Protocol { get; set; } = 2;

    /// <summary>After SCRIPT DEBUG: its next script is debugged; null: it is not.</summary>
    internal DebugChannel? Debugging { get; set; }

    /// <summary>Its user: what this may do is read at each command.</summary>
    internal UserAccount Account { get; private set; } = null!;

    internal string User => Account.Name;

    internal byte[] Name { get; set; } = [];

    internal byte[] LibraryName { get; set; } = [];

    internal byte[] LibraryVersion { get; set; } = [];

    /// <summary>Bytes of these names, which <see cref="SessionRegistry.Rename"/> counts.</summary>
    internal long NameBytes => (long)Name.Length + LibraryName.Length + LibraryVersion.Length;

    /// <summary>About how many bytes its watches, subscriptions, prefixes and waits take. Of what several
    /// sessions share each has the whole. Any thread may look.</summary>
    internal long RecordBytes => Volatile.Read(ref _recordBytes);

    internal PartialInput? Partial { get; set; }

    /// <summary>Pieces of input that it has in the present turn.</summary>
    internal int InputCount { get; set; }

    internal OutputQueue? Unsent { get; set; }

    /// <summary>What else its peer gets; null: nothing.</summary>
    internal IOutputFeed? Feed { get; set; }

    /// <summary>Whether reading has stopped because its peer takes no bytes.</summary>
    internal bool IsReadingStopped { get; set; }

    /// <summary>
    /// Whether the transport reads from it. It also does while a command waits for a key or a time, as in
    /// Redis: the end of the input ends that wait, and comes behind all input.
    /// </summary>
    internal bool IsInputWanted => !IsClosing && !IsReadingStopped
        && (SuspendedWork is null or { IsBlocked: true } || Debugging is { IsActive: true });

    /// <summary>Its place among its loop's sessions.</summary>
    internal int LoopPlace { get; set; }

    /// <summary>Whether its peer sends no more.</summary>
    internal bool IsInputEnded { get; set; }

    /// <summary>What the session waits for; its input waits meanwhile.</summary>
    internal ISuspendedWork? SuspendedWork { get; set; }

    internal Transaction? Transaction { get; set; }

    /// <summary>What its EXEC runs, for those who look at the session meanwhile; null: it runs
    /// none.</summary>
    internal Transaction? RunningTransaction { get; set; }

    /// <summary>Whether it queues commands since MULTI, or runs them.</summary>
    internal bool IsInTransaction =>
        (Flags & SessionFlags.InTransaction) != 0 || RunningTransaction is not null;

    internal WatchList? Watches { get; set; }

    internal SubscriptionSet? Subscriptions { get; set; }

    /// <summary>How it tracks keys; null: it does not.</summary>
    internal SessionTracking? Tracking { get; set; }

    /// <summary>Its invalidations; null: it has had none.</summary>
    internal InvalidationQueue? Invalidations => Volatile.Read(ref _invalidations);

    internal bool IsNoEvict { get; set; }

    /// <summary>What its client has declared by CLIENT CAPA.</summary>
    internal uint Capabilities { get; set; }

    /// <summary>Whether its client goes to the master when a replica says where that is.</summary>
    internal bool FollowsRedirections => (Capabilities & RedirectCapability) != 0;

    /// <summary>READONLY: whether it reads from a replica, though it follows redirections.</summary>
    internal bool IsReadOnly { get; set; }

    internal long CreatedMs { get; }

    /// <summary>When it last sent or took a byte, Unix milliseconds.</summary>
    internal long LastInteractionMs { get; private set; }

    internal long OutputLimitSinceMs { get; set; }

    internal CommandSpec? LastCommand { get; set; }

    internal long CommandCount { get; set; }

    internal long BytesReceived { get; set; }

    internal long BytesSent { get; set; }

    /// <summary>Makes it the default user's, as it is at the beginning and after RESET.</summary>
    /// <param name="account">The default user.</param>
    /// <param name="isPasswordRequired">Whether its client must log in.</param>
    internal void BeginAccess(UserAccount account, bool isPasswordRequired)
    {
        Account = account;
        ChangeFlags(isPasswordRequired ? SessionFlags.Unauthenticated : SessionFlags.None,
            isPasswordRequired ? SessionFlags.None : SessionFlags.Unauthenticated);
        NoteAccess();
    }

    /// <summary>Makes it a user's, whose password its client has given.</summary>
    internal void LogIn(UserAccount account)
    {
        Account = account;
        ChangeFlags(SessionFlags.None, SessionFlags.Unauthenticated);
        NoteAccess();
    }

    /// <summary>Notes whether its user may do everything. On its loop, or by its command.</summary>
    internal void NoteAccess()
    {
        UserAccount account;
        do
        {
            account = Account;
            bool isRestricted = !account.User.IsUnrestricted;
            ChangeFlags(isRestricted ? SessionFlags.Restricted : SessionFlags.None,
                isRestricted ? SessionFlags.None : SessionFlags.Restricted);
        }
        // ORDER: the flags are changed with a full fence. An AUTH off the loop sets the account before the
        // flags: so this sees the account, or that changes the flags last.
        while (Account != account);
    }

    /// <summary>Assigns it to another loop, which is notified next.</summary>
    internal void BeginMove(ISessionLoop target)
    {
        Debug.Assert(IsMovable && !IsMoving && target != Loop, "only an idle session moves");
        // ORDER: before _loop: a message that reaches the new loop ahead of the session waits.
        Volatile.Write(ref _isMoving, true);
        Volatile.Write(ref _loop, target);
    }

    /// <summary>Ends the move: its new loop has it.</summary>
    internal void EndMove()
    {
        Debug.Assert(IsMoving, "a session that moves arrives once");
        Volatile.Write(ref _isMoving, false);
    }

    /// <inheritdoc/>
    public unsafe bool TryDeliver(Subscription subscription, SharedBlock* message, int length)
    {
        if (IsKilled)
            return false;
        Loop.Post(new MailboxMessage
        {
            Kind = MailboxMessageKind.Publish,
            Target = subscription,
            Block = message,
            Length = length,
        });
        return true;
    }

    /// <summary>Its queue of invalidations, which is made where there is none. From any thread.</summary>
    internal InvalidationQueue InvalidationsOrNew()
    {
        if (Invalidations is { } queue)
            return queue;
        queue = new InvalidationQueue(this);
        return Interlocked.CompareExchange(ref _invalidations, queue, null) ?? queue;
    }

    /// <summary>Notes that its records take more, or, where negative, less. From any thread: one that ends
    /// its wait does.</summary>
    internal void AddRecordBytes(long bytes)
    {
        long sum = Interlocked.Add(ref _recordBytes, bytes);
        Debug.Assert(sum >= 0, "a session's records end once");
    }

    /// <summary>Notes that it has sent or taken bytes; never earlier than noted before.</summary>
    internal void NoteInteraction(long nowMs)
    {
        if (nowMs > LastInteractionMs)
            LastInteractionMs = nowMs;
    }

    /// <summary>
    /// Sets and clears flags atomically: the slow lane changes them, too.
    /// </summary>
    internal void ChangeFlags(SessionFlags set, SessionFlags cleared)
    {
        Debug.Assert((set & cleared) == 0, "a flag is set or cleared");
        if (cleared != 0)
            Interlocked.And(ref _flags, ~(int)cleared);
        if (set != 0)
            Interlocked.Or(ref _flags, (int)set);
        AssertFlags();
    }

    [Conditional("DEBUG")]
    private void AssertFlags()
    {
        SessionFlags flags = Flags;
        bool isInTransaction = (flags & SessionFlags.InTransaction) != 0;
        Debug.Assert((flags & SessionFlags.TransactionBroken) == 0 || isInTransaction,
            "only a transaction can be broken");
    }

    /// <summary>Whether a watched key has changed.</summary>
    internal bool IsWatchDirty => Watches is { IsDirty: true };
}
