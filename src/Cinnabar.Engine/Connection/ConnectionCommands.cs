using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Connection;

/// <summary>AUTH, ECHO, HELLO, PING, QUIT, RESET, SELECT.</summary>
internal static class ConnectionCommands
{
    /// <summary>AUTH [username] password</summary>
    public static void Auth(SessionExecution execution)
    {
        if (execution.ArgumentCount > 3)
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        bool hasUser = execution.ArgumentCount == 3;
        if (!hasUser && !execution.Engine.Settings.HasDefaultPassword)
        {
            execution.Reply.Error(
                "ERR AUTH <password> called without any password configured for the default user. "u8
                + "Are you sure your configuration is correct?"u8);
            return;
        }

        ReadOnlySpan<byte> user = hasUser ? execution.Argument(1) : "default"u8;
        if (TryAuthenticate(execution, user, execution.Argument(hasUser ? 2 : 1)))
            execution.Reply.Ok();
        else
            execution.Reply.Error(WrongPassword);
    }

    /// <summary>ECHO message</summary>
    public static void Echo(SessionExecution execution) => execution.Reply.Bulk(execution.Argument(1));

    /// <summary>PING [message]</summary>
    public static void Ping(SessionExecution execution)
    {
        if (execution.ArgumentCount > 2)
        {
            execution.Reply.Error("ERR wrong number of arguments for 'ping' command"u8);
            return;
        }

        bool hasMessage = execution.ArgumentCount == 2;
        if ((execution.Session.Flags & SessionFlags.Subscribed) != 0 && execution.Session.Protocol < 3)
        {
            execution.Reply.ArrayHeader(2);
            execution.Reply.Bulk("pong"u8);
            execution.Reply.Bulk(hasMessage ? execution.Argument(1) : default);
        }
        else if (hasMessage)
        {
            execution.Reply.Bulk(execution.Argument(1));
        }
        else
        {
            execution.Reply.Pong();
        }
    }

    public static void Quit(SessionExecution execution)
    {
        execution.Reply.Ok();
        execution.Session.Flags |= SessionFlags.CloseAfterReply;
    }

    /// <summary>SELECT index</summary>
    public static void Select(SessionExecution execution)
    {
        if (!execution.TryInteger(1, out long database))
            return;
        if (database != (int)database)
        {
            execution.Reply.Error(
                "ERR value is out of range, value must between -2147483648 and 2147483647"u8);
            return;
        }

        if (database < 0 || database >= execution.Engine.Keyspace.DatabaseCount)
        {
            execution.Reply.Error(Errors.DatabaseOutOfRange);
            return;
        }

        execution.Session.Database = (int)database;
        execution.Reply.Ok();
    }

    public static void Reset(SessionExecution execution)
    {
        Session session = execution.Session;
        if ((session.Flags & SessionFlags.Replica) != 0)
        {
            execution.Reply.Error("ERR can only reset normal client connections"u8);
            return;
        }

        execution.Engine.Watches.EndTransaction(execution.Session);
        SessionReset.Run(execution.Engine, session);
        session.Database = 0;
        execution.Engine.Sessions.Rename(session, [], session.LibraryName, session.LibraryVersion);
        session.Protocol = 2;
        execution.Reply.Protocol = 2;
        const SessionFlags Cleared =
            SessionFlags.NoTouch | SessionFlags.ImportSource | SessionFlags.RepliesOff
            | SessionFlags.SkipNextReply;
        session.ChangeFlags(SessionFlags.None, Cleared);
        session.IsReadOnly = false;
        if (execution.Reply.IsMuted && (session.Flags & SessionFlags.SkipReply) == 0)
            execution.Reply.Unmute();
        session.BeginAccess(
            execution.Engine.Access.Users.Default, execution.Engine.Settings.IsPasswordRequired);
        execution.Reply.SimpleString("RESET"u8);
    }

    /// <summary>HELLO [protover [AUTH username password] [SETNAME clientname]]</summary>
    public static void Hello(SessionExecution execution)
    {
        Session session = execution.Session;
        int protocol = session.Protocol;
        if (execution.ArgumentCount > 1)
        {
            if (!RedisNumber.TryParseInt64(execution.Argument(1), out long version))
            {
                execution.Reply.Error("ERR Protocol version is not an integer or out of range"u8);
                return;
            }

            if (version is < 2 or > 3)
            {
                execution.Reply.Error("NOPROTO unsupported protocol version"u8);
                return;
            }

            protocol = (int)version;
        }

        if (!TryHelloOptions(execution))
            return;
        if (IsUnauthenticated(execution))
        {
            execution.Reply.Error(
                "NOAUTH HELLO must be called with the client already authenticated, otherwise the "u8
                + "HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and "u8
                + "select the RESP "u8 + "protocol version at the same time"u8);
            return;
        }

        session.Protocol = protocol;
        execution.Reply.Protocol = protocol;
        ReplyHello(execution);
    }

    /// <summary>What a client's name must not be.</summary>
    public static ReadOnlySpan<byte> InvalidName =>
        "ERR Client names cannot contain spaces, newlines or special characters."u8;

    /// <summary>Whether a name may be shown in CLIENT LIST: no spaces, no control characters.</summary>
    public static bool IsNameValid(ReadOnlySpan<byte> name) =>
        name.IndexOfAnyExceptInRange((byte)'!', (byte)'~') < 0;

    private static ReadOnlySpan<byte> WrongPassword =>
        "WRONGPASS invalid username-password pair or user is disabled."u8;

    // All options are read before the first has an effect.
    private static bool TryHelloOptions(SessionExecution execution)
    {
        byte[]? name = null;
        int userIndex = 0;
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            int left = execution.ArgumentCount - index - 1;
            if (execution.Is(index, "auth"u8) && left >= 2)
            {
                userIndex = index + 1;
                index += 2;
            }
            else if (execution.Is(index, "setname"u8) && left >= 1)
            {
                name = execution.Argument(++index).ToArray();
                if (IsNameValid(name))
                    continue;
                execution.Reply.Error(InvalidName);
                return false;
            }
            else
            {
                execution.Reply.Error("ERR Syntax error in HELLO option '"u8, execution.Argument(index),
                    "'"u8);
                return false;
            }
        }

        if (userIndex > 0
            && !TryAuthenticate(execution, execution.Argument(userIndex), execution.Argument(userIndex + 1)))
        {
            execution.Reply.Error(WrongPassword);
            return false;
        }

        Session session = execution.Session;
        if (name is not null && !IsUnauthenticated(execution))
            execution.Engine.Sessions.Rename(session, name, session.LibraryName, session.LibraryVersion);
        return true;
    }

    private static bool IsUnauthenticated(SessionExecution execution) =>
        (execution.Session.Flags & SessionFlags.Unauthenticated) != 0
        && execution.Engine.Settings.IsPasswordRequired;

    private static bool TryAuthenticate(SessionExecution execution, ReadOnlySpan<byte> user,
        ReadOnlySpan<byte> password) =>
        execution.Engine.Access.TryLogIn(execution.Session, user, password, execution.Argument(0));

    private static void ReplyHello(SessionExecution execution)
    {
        string zone = execution.Engine.Configuration.TextOf("availability-zone");
        execution.Reply.MapHeader(zone.Length == 0 ? 7 : 8);
        execution.Reply.Bulk("server"u8);
        execution.Reply.Bulk("redis"u8);
        execution.Reply.Bulk("version"u8);
        execution.Reply.Bulk(ServerEngine.RedisVersion);
        execution.Reply.Bulk("proto"u8);
        execution.Reply.Integer(execution.Session.Protocol);
        execution.Reply.Bulk("id"u8);
        execution.Reply.Integer(execution.Session.Id);
        execution.Reply.Bulk("mode"u8);
        execution.Reply.Bulk("standalone"u8);
        execution.Reply.Bulk("role"u8);
        execution.Reply.Bulk(execution.Engine.Replica.IsReplica ? "replica"u8 : "master"u8);
        execution.Reply.Bulk("modules"u8);
        execution.Reply.ArrayHeader(0);
        if (zone.Length == 0)
            return;
        execution.Reply.Bulk("availability_zone"u8);
        execution.Reply.Bulk(Encoding.Latin1.GetBytes(zone));
    }
}
