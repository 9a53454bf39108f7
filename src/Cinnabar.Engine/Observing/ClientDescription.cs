using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;
using Cinnabar.Messaging;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Observing;

/// <summary>
/// The description of a session in CLIENT LIST and CLIENT INFO. Its loop may change it meanwhile: each field
/// is read once, and no two of them need agree.
/// </summary>
internal static class ClientDescription
{
    // A session object and its entry in the registry.
    private const int SessionBytes = 400;

    private const int FlagCountMax = 17;

    /// <summary>The replacement for hidden texts.</summary>
    public const string Redacted = "*redacted*";

    private const string SuperUser = "(superuser)";

    /// <summary>The line, without its end, as the log may show it.</summary>
    public static string ForLog(Session session, Clock clock, Settings settings)
    {
        using var line = new InfoText();
        Append(line, session, clock.UnixMicroseconds / 1000, settings.IsUserDataHidden);
        return Encoding.Latin1.GetString(line.Written[..^1]);
    }

    /// <summary>Appends the line, its end included.</summary>
    /// <param name="text">Where to.</param>
    /// <param name="session">The session.</param>
    /// <param name="nowMs">Now, in Unix milliseconds.</param>
    /// <param name="isRedacted">Whether texts that users chose (names) are hidden.</param>
    public static void Append(InfoText text, Session session, long nowMs, bool isRedacted = false)
    {
        AppendIdentity(text, session, nowMs, isRedacted);
        AppendState(text, session);
        AppendMemory(text, session);
        AppendClient(text, session, isRedacted);
        text.Append("\n"u8);
    }

    /// <summary>Bytes that a session takes: itself, a half command, a transaction, unsent replies, names, and
    /// about what its watches, subscriptions, prefixes and waits take.</summary>
    public static long MemoryOf(Session session) => SessionBytes + NativeBytesOf(session)
        + (session.Partial?.RegionBytes ?? 0) + (session.Unsent is { } unsent ? unsent.ByteCount
        + unsent.ItemBytes : 0) + session.NameBytes + session.RecordBytes;

    /// <summary>The part of a session's memory that does not lie in the server's pages: a half command and a
    /// transaction. Any thread may ask.</summary>
    public static long NativeBytesOf(Session session) =>
        (session.Partial?.NativeBytes ?? 0) + (TransactionOf(session)?.MemoryUsage ?? 0);

    /// <summary>The letters of a session's states, <c>N</c> where there are none.</summary>
    public static string FlagsOf(Session session)
    {
        Span<char> letters = stackalloc char[FlagCountMax];
        return new string(letters[..WriteFlags(session, letters)]);
    }

    /// <summary>The session's kind.</summary>
    public static ClientKind KindOf(Session session) =>
        (session.Flags & SessionFlags.Master) != 0 ? ClientKind.Master
        : (session.Flags & SessionFlags.Replica) != 0 ? ClientKind.Replica
        : (session.Flags & SessionFlags.Subscribed) != 0 ? ClientKind.PubSub : ClientKind.Normal;

    /// <summary>Seconds since the session began.</summary>
    public static long AgeSeconds(Session session, long nowMs) =>
        Math.Max(0, nowMs - session.CreatedMs) / 1000;

    /// <summary>Seconds since anything came from the session or went to it.</summary>
    public static long IdleSeconds(Session session, long nowMs) =>
        Math.Max(0, nowMs - session.LastInteractionMs) / 1000;

    private static int WriteFlags(Session session, Span<char> letters)
    {
        SessionFlags flags = session.Flags;
        int count = 0;
        Add(letters, ref count, 'S', (flags & SessionFlags.Replica) != 0);
        Add(letters, ref count, 'M', (flags & SessionFlags.Master) != 0);
        Add(letters, ref count, 'O', (flags & SessionFlags.Monitor) != 0);
        Add(letters, ref count, 'P', (flags & SessionFlags.Subscribed) != 0);
        Add(letters, ref count, 'x', session.IsInTransaction);
        // What runs a transaction waits for nothing but itself.
        Add(letters, ref count, 'b', session.Suspended is not null && session.RunningTransaction is null);
        Add(letters, ref count, 'd', session.IsWatchDirty);
        SessionTracking? tracking = session.Tracking;
        Add(letters, ref count, 't', tracking is not null);
        Add(letters, ref count, 'R', tracking is { IsRedirectBroken: true });
        Add(letters, ref count, 'B', (tracking?.Modes & TrackingModes.Broadcast) > 0);
        Add(letters, ref count, 'c', (flags & SessionFlags.CloseAfterReply) != 0);
        Add(letters, ref count, 'A', session.IsKilled);
        Add(letters, ref count, 'U', session.Endpoint.Kind == ConnectionKind.Unix);
        Add(letters, ref count, 'r', session.IsReadOnly);
        Add(letters, ref count, 'e', session.IsNoEvict);
        Add(letters, ref count, 'I', (flags & SessionFlags.ImportSource) != 0);
        Add(letters, ref count, 'T', (flags & SessionFlags.NoTouch) != 0);
        Add(letters, ref count, 'N', count == 0);
        return count;
    }

    private static void AppendIdentity(InfoText text, Session session, long nowMs, bool isRedacted)
    {
        SessionEndpoint endpoint = session.Endpoint;
        text.Append("id="u8, session.Id);
        text.Append(" addr="u8);
        text.Append(endpoint.RemoteAddress);
        text.Append(" laddr="u8);
        text.Append(endpoint.LocalAddress);
        text.Append(" fd="u8, endpoint.Descriptor);
        text.Append(" name="u8);
        AppendChosen(text, session.Name, isRedacted);
        text.Append(" age="u8, AgeSeconds(session, nowMs));
        text.Append(" idle="u8, IdleSeconds(session, nowMs));
    }

    private static Transaction? TransactionOf(Session session) =>
        session.Transaction ?? session.RunningTransaction;

    private static void AppendState(InfoText text, Session session)
    {
        SubscriptionSet? subscriptions = session.Subscriptions;
        Span<char> letters = stackalloc char[FlagCountMax];
        text.Append(" flags="u8);
        text.Append(letters[..WriteFlags(session, letters)]);
        // Valkey's field; Redis has none, so clients without capabilities are shown without it.
        if (session.FollowsRedirections)
            text.Append(" capa=r"u8);
        text.Append(" db="u8, session.Database);
        text.Append(" sub="u8, subscriptions?.Channels.Count ?? 0);
        text.Append(" psub="u8, subscriptions?.Patterns.Count ?? 0);
        text.Append(" ssub="u8, subscriptions?.ShardChannels.Count ?? 0);
        text.Append(" multi="u8, session.IsInTransaction
            ? TransactionOf(session)?.Commands.Length ?? 0 : -1);
        text.Append(" watch="u8, session.Watches?.Watches.Count ?? 0);
    }

    private static void AppendMemory(InfoText text, Session session)
    {
        PartialInput? partial = session.Partial;
        OutputQueue? unsent = session.Unsent;
        Transaction? transaction = TransactionOf(session);
        long inputBytes = partial?.UnscannedBytes ?? 0;
        long inputRoom = partial is null ? 0 : partial.Room + (long)partial.BigBytesLeft;
        long argumentBytes = partial?.ArgumentBytes ?? 0;
        long transactionBytes = transaction?.MemoryUsage ?? 0;
        long unsentBytes = unsent?.ByteCount ?? 0;
        text.Append(" qbuf="u8, inputBytes);
        text.Append(" qbuf-free="u8, inputRoom);
        text.Append(" argv-mem="u8, argumentBytes);
        text.Append(" multi-mem="u8, transactionBytes);
        // Replies are written into the loop's buffer: a session has none of its own.
        text.Append(" rbs=0 rbp=0 obl=0"u8);
        text.Append(" oll="u8, unsent?.ItemCount ?? 0);
        text.Append(" omem="u8, unsentBytes);
        text.Append(" tot-mem="u8, MemoryOf(session));
        text.Append(session.IsReadingStopped ? " events="u8 : " events=r"u8);
        text.Append(unsentBytes > 0 ? "w"u8 : default);
    }

    private static void AppendClient(InfoText text, Session session, bool isRedacted)
    {
        text.Append(" cmd="u8);
        text.Append(session.LastCommand is { } command ? command.NameBytes : "NULL"u8);
        text.Append(" user="u8);
        bool isMaster = (session.Flags & SessionFlags.Master) != 0;
        text.Append(isRedacted ? Redacted : isMaster ? SuperUser : session.User);
        text.Append(" redir="u8, session.Tracking is { } tracking ? tracking.RedirectId : -1);
        text.Append(" resp="u8, session.Protocol);
        text.Append(" lib-name="u8);
        AppendChosen(text, session.LibraryName, isRedacted);
        text.Append(" lib-ver="u8);
        AppendChosen(text, session.LibraryVersion, isRedacted);
        text.Append(" io-thread="u8, session.Loop.Index);
        text.Append(" tot-net-in="u8, session.BytesReceived);
        text.Append(" tot-net-out="u8, session.BytesSent);
        text.Append(" tot-cmds="u8, session.CommandCount);
    }

    private static void AppendChosen(InfoText text, byte[] name, bool isRedacted)
    {
        if (isRedacted && name.Length > 0)
            text.Append(Redacted);
        else
            text.Append(name);
    }

    private static void Add(Span<char> letters, ref int count, char letter, bool isSet)
    {
        if (isSet)
            letters[count++] = letter;
    }
}
