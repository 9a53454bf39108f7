using System;
using System.Globalization;
using System.Text;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Transactions;
using Cinnabar.Messaging;

namespace Cinnabar.Engine.Connection;

/// <summary>
/// What CLIENT LIST and CLIENT INFO say about a session, whose loop may be changing it meanwhile: each field
/// is read once, and no two of them need agree.
/// </summary>
internal static class ClientDescription
{
    // A session object and its entry in the registry.
    private const int SessionBytes = 400;

    /// <summary>What stands for what must not be shown.</summary>
    public const string Redacted = "*redacted*";

    /// <summary>Appends the line, its end included; one char a byte.</summary>
    /// <param name="text">Where to.</param>
    /// <param name="session">The session.</param>
    /// <param name="nowMs">Now, in Unix milliseconds.</param>
    /// <param name="isRedacted">Whether what users chose (names) is left out.</param>
    public static void Append(StringBuilder text, Session session, long nowMs, bool isRedacted = false)
    {
        AppendIdentity(text, session, nowMs, isRedacted);
        AppendState(text, session);
        AppendMemory(text, session);
        AppendClient(text, session, isRedacted);
        text.Append('\n');
    }

    /// <summary>Bytes that a session takes: itself, a half command, a transaction, unsent replies.</summary>
    public static long MemoryOf(Session session) => SessionBytes + (session.Partial?.Length ?? 0)
        + (session.Partial?.Room ?? 0) + (session.Partial?.RegionBytes ?? 0)
        + (session.Transaction?.MemoryUsage ?? 0) + (session.Unsent?.ByteCount ?? 0);

    /// <summary>The letters of a session's states, <c>N</c> where there are none.</summary>
    public static string FlagsOf(Session session)
    {
        SessionFlags flags = session.Flags;
        var text = new StringBuilder();
        AppendIf(text, 'O', (flags & SessionFlags.Monitor) != 0);
        AppendIf(text, 'P', (flags & SessionFlags.Subscribed) != 0);
        AppendIf(text, 'x', (flags & SessionFlags.InTransaction) != 0);
        AppendIf(text, 'b', session.Suspended is not null);
        AppendIf(text, 'd', session.IsWatchDirty);
        AppendIf(text, 'c', (flags & SessionFlags.CloseAfterReply) != 0);
        AppendIf(text, 'A', session.IsKilled);
        AppendIf(text, 'U', session.Endpoint.Kind == ConnectionKind.Unix);
        AppendIf(text, 'e', session.IsNoEvict);
        AppendIf(text, 'I', (flags & SessionFlags.ImportSource) != 0);
        AppendIf(text, 'T', (flags & SessionFlags.NoTouch) != 0);
        return text.Length == 0 ? "N" : text.ToString();
    }

    /// <summary>The session's kind.</summary>
    public static ClientKind KindOf(Session session) =>
        (session.Flags & SessionFlags.Subscribed) != 0 ? ClientKind.PubSub : ClientKind.Normal;

    /// <summary>Seconds since the session began.</summary>
    public static long AgeSeconds(Session session, long nowMs) =>
        Math.Max(0, nowMs - session.CreatedMs) / 1000;

    /// <summary>Seconds since anything came from the session or went to it.</summary>
    public static long IdleSeconds(Session session, long nowMs) =>
        Math.Max(0, nowMs - session.LastInteractionMs) / 1000;

    private static void AppendIdentity(StringBuilder text, Session session, long nowMs, bool isRedacted)
    {
        SessionEndpoint endpoint = session.Endpoint;
        Add(text, "id=", session.Id);
        text.Append(" addr=").Append(endpoint.RemoteAddress).Append(" laddr=").Append(endpoint.LocalAddress);
        Add(text, " fd=", endpoint.Descriptor);
        text.Append(" name=").Append(Chosen(session.Name, isRedacted));
        Add(text, " age=", AgeSeconds(session, nowMs));
        Add(text, " idle=", IdleSeconds(session, nowMs));
    }

    private static void AppendState(StringBuilder text, Session session)
    {
        SubscriptionSet? subscriptions = session.Subscriptions;
        bool isInTransaction = (session.Flags & SessionFlags.InTransaction) != 0;
        text.Append(" flags=").Append(FlagsOf(session));
        // Valkey's field; Redis's lines have none, so that clients without capabilities look as there.
        if ((session.Capabilities & ClientCommands.RedirectCapability) != 0)
            text.Append(" capa=r");
        Add(text, " db=", session.Database);
        Add(text, " sub=", subscriptions?.Channels.Count ?? 0);
        Add(text, " psub=", subscriptions?.Patterns.Count ?? 0);
        Add(text, " ssub=", subscriptions?.ShardChannels.Count ?? 0);
        Add(text, " multi=", isInTransaction ? session.Transaction?.Commands.Length ?? 0 : -1);
        Add(text, " watch=", session.Watches?.Watches.Count ?? 0);
    }

    private static void AppendMemory(StringBuilder text, Session session)
    {
        PartialInput? partial = session.Partial;
        OutputQueue? unsent = session.Unsent;
        Transaction? transaction = session.Transaction;
        long inputBytes = partial?.Length ?? 0;
        long inputRoom = partial?.Room ?? 0;
        long argumentBytes = partial?.RegionBytes ?? 0;
        long transactionBytes = transaction?.MemoryUsage ?? 0;
        long unsentBytes = unsent?.ByteCount ?? 0;
        Add(text, " qbuf=", inputBytes);
        Add(text, " qbuf-free=", inputRoom);
        Add(text, " argv-mem=", argumentBytes);
        Add(text, " multi-mem=", transactionBytes);
        // Replies are written into the loop's buffer: a session has none of its own.
        text.Append(" rbs=0 rbp=0 obl=0");
        Add(text, " oll=", unsent?.ItemCount ?? 0);
        Add(text, " omem=", unsentBytes);
        Add(text, " tot-mem=", MemoryOf(session));
        text.Append(session.IsReadingStopped ? " events=" : " events=r").Append(unsentBytes > 0 ? "w" : "");
    }

    private static void AppendClient(StringBuilder text, Session session, bool isRedacted)
    {
        text.Append(" cmd=").Append(session.LastCommand?.Name ?? "NULL");
        text.Append(" user=").Append(isRedacted ? Redacted : session.User);
        Add(text, " redir=", -1);
        Add(text, " resp=", session.Protocol);
        text.Append(" lib-name=").Append(Chosen(session.LibraryName, isRedacted));
        text.Append(" lib-ver=").Append(Chosen(session.LibraryVersion, isRedacted));
        Add(text, " io-thread=", session.Loop.Index);
        Add(text, " tot-net-in=", session.BytesReceived);
        Add(text, " tot-net-out=", session.BytesSent);
        Add(text, " tot-cmds=", session.CommandCount);
    }

    private static string Chosen(byte[] name, bool isRedacted) =>
        isRedacted && name.Length > 0 ? Redacted : Encoding.Latin1.GetString(name);

    private static void Add(StringBuilder text, string name, long value) =>
        text.Append(name).Append(value.ToString(CultureInfo.InvariantCulture));

    private static void AppendIf(StringBuilder text, char letter, bool isSet)
    {
        if (isSet)
            text.Append(letter);
    }
}
