// The checks before commands that are not on the shortest path: of sessions that must authenticate, are in a
// transaction, have subscriptions; of servers that load, lack memory, follow a master; subcommands; unknown
// commands. They run in Redis's order, since clients see the first that fails.

using Cinnabar.Engine.Access;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Lanes;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Statistics;
using Cinnabar.Engine.Transactions;
using Cinnabar.Security.Logging;
using Ascii = Cinnabar.Commands.Ascii;

namespace Cinnabar.Engine.Loops;

/// <summary>Admits or refuses the commands of a loop.</summary>
/// <param name="server">The server.</param>
/// <param name="statistics">Counts what is refused.</param>
/// <param name="eviction">Makes room for commands.</param>
internal sealed class CommandAdmission(ILoopServer server, LoopStatistics statistics, KeyEviction eviction)
{
    private const int EchoedArgumentsLengthMax = 128;
    private const long BrowserWarningIntervalMs = 60_000;
    private const CommandFlags KeyspaceFlags =
        CommandFlags.Write | CommandFlags.ReadOnly | CommandFlags.MayReplicate;

    private readonly ILoopServer _server = server;
    private readonly LoopStatistics _statistics = statistics;
    private readonly KeyEviction _eviction = eviction;
    private long _browserWarnedMs;

    private ReadOnlySpan<byte> BusyForAll =>
        _server.SlowLane.Holders.BusyWith == OverdueKind.Function ? BusyReply.Function : BusyReply.Script;

    /// <summary>Finds what a command is and makes all checks, or refuses it.</summary>
    /// <returns>False where it is over.</returns>
    public bool TryAdmit(SessionExecution execution)
    {
        // What is refused is its last one, too: ACL LOG says so.
        CommandSpec? spec = execution.Session.LastCommand = Resolve(execution);
        if (spec is null)
            return false;
        execution.Spec = spec;
        if (!spec.AcceptsCount(execution.ArgumentCount))
            return !Refuse(execution, "ERR wrong number of arguments for '"u8, spec.NameBytes, "' command"u8);

        Session session = execution.Session;
        if ((spec.Flags & CommandFlags.Protected) != 0 && !_server.IsProtectedCommandAllowed(spec, session))
            return !Refuse(execution, ProtectedCommandError(spec));
        if ((session.Flags & SessionFlags.Unauthenticated) != 0 && (spec.Flags & CommandFlags.NoAuth) == 0
            && _server.Settings.IsPasswordRequired)
            return !Refuse(execution, "NOAUTH Authentication required."u8);
        if ((session.Flags & SessionFlags.InTransaction) != 0 && (spec.Flags & CommandFlags.NoMulti) != 0)
            return !Refuse(execution, "ERR Command not allowed inside a transaction"u8);
        AccessDenial denial = AccessControl.Find(execution, spec, execution.Arguments);
        if (!denial.IsNone)
            return !RefuseDenied(execution, denial);
        // While the new master is not one yet, the command is held.
        if (_server.Gates.Redirection is { } redirection && MustRedirect(execution))
            return redirection.IsPending || !RefuseRedirected(execution, redirection);
        if (_server.Gates.Has(ServerGates.MemoryNear) && LacksRoom(execution))
            return !RefuseForMemory(execution);
        if (_server.DiskErrors.Refuses(execution))
            return !Refuse(execution, _server.DiskErrors.Error);
        if (_server.ReplicaMinimum.Refuses(execution))
            return !Refuse(execution, ReplicaMinimum.Error);
        if (_server.Gates.Has(ServerGates.ReplicaReadOnly)
            && CommandReach.Has(execution, CommandFlags.Write))
            return !RefuseReadOnly(execution);
        if ((session.Flags & SessionFlags.Subscribed) != 0 && session.Protocol < 3
            && !spec.Has(CommandFlags.AllowSubscribed))
        {
            return !Refuse(execution, "ERR Can't execute '"u8, spec.NameBytes,
                "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "u8
                    + "context"u8);
        }

        if (_server.Gates.Has(ServerGates.Busy) && !spec.Has(CommandFlags.AllowBusy))
            return !Refuse(execution, BusyForAll);
        if (_server.Gates.Has(ServerGates.MasterDown) && CommandReach.Lacks(execution, CommandFlags.Stale))
            return !Refuse(execution, ReplicaErrors.MasterDown);
        if (_server.Gates.Has(ServerGates.Loading) && CommandReach.Lacks(execution, CommandFlags.Loading))
            return !Refuse(execution, Errors.Loading);
        if (_server.Gates.Has(ServerGates.AsyncLoading)
            && CommandReach.Has(execution, CommandFlags.NoAsyncLoading))
            return !Refuse(execution, Errors.Loading);
        if ((session.Flags & (SessionFlags.Monitor | SessionFlags.Replica)) != 0
            && (spec.Flags & KeyspaceFlags) != 0)
            return !Refuse(execution, "ERR Replica can't interact with the keyspace"u8);
        return true;
    }

    /// <summary>Refuses a command whose stripes a slow command has held for too long.</summary>
    /// <returns>True: it is over.</returns>
    public bool RefuseBusy(SessionExecution execution) =>
        Refuse(execution, _server.SlowLane.Holders.KindOfOverdue(in execution.Stripes) switch
        {
            OverdueKind.Script => BusyReply.Script,
            OverdueKind.Function => BusyReply.Function,
            _ => BusyReply.Command,
        });

    /// <summary>Whether a command needs memory that cannot be made room for; the loop holds no
    /// stripe.</summary>
    public bool LacksRoom(SessionExecution execution)
    {
        // A transaction may queue any amount. MULTI and WATCH, which are not queued either, are refused.
        bool isQueued = (execution.Session.Flags & SessionFlags.InTransaction) != 0
            && !execution.Spec.Has(CommandFlags.EndsTransaction);
        return (isQueued || CommandReach.Has(execution, CommandFlags.DenyOom | CommandFlags.RunsScript))
            && !_eviction.TryMakeRoom()
            && (isQueued || CommandReach.Has(execution, CommandFlags.DenyOom));
    }

    /// <summary>Refuses a command because of <c>maxmemory</c>.</summary>
    /// <returns>True: it is over.</returns>
    public bool RefuseForMemory(SessionExecution execution) =>
        Refuse(execution, _server.MemoryLimit.Refusal);

    /// <summary>Refuses a command that writes to a replica.</summary>
    /// <returns>True: it is over.</returns>
    public bool RefuseReadOnly(SessionExecution execution) => Refuse(execution, ReplicaErrors.ReadOnly);

    /// <summary>Whether the server is a replica and a command must go to its master: of a session that
    /// follows redirections what writes, and what reads unless READONLY has said that it may.</summary>
    public bool MustRedirect(SessionExecution execution) => _server.Gates.Has(ServerGates.Replica)
        && execution.Session.FollowsRedirections && CommandReach.Has(execution, execution.Session.IsReadOnly
            ? CommandFlags.Write : CommandFlags.Write | CommandFlags.ReadOnly);

    /// <summary>Refuses a command that its user may not run.</summary>
    /// <returns>True: it is over.</returns>
    public bool RefuseDenied(SessionExecution execution, AccessDenial denial)
    {
        Session session = execution.Session;
        bool isInTransaction = (session.Flags & SessionFlags.InTransaction) != 0;
        _server.Access.Note(session, denial, execution.Spec, execution.Arguments,
            isInTransaction ? DenialPlace.Transaction : DenialPlace.TopLevel);
        return Refuse(execution, AccessErrors.Of(denial.Reason, execution.Spec));
    }

    /// <summary>Refuses a command.</summary>
    /// <returns>True: it is over.</returns>
    public bool Refuse(SessionExecution execution, ReadOnlySpan<byte> error) =>
        Refuse(execution, error, default, default);

    private CommandSpec? Resolve(SessionExecution execution)
    {
        CommandSpec? spec = _server.Commands.Find(execution.Argument(0));
        if (spec is null || (spec.IsPlain is false && !spec.IsContainer))
        {
            if (IsHttp(execution.Argument(0)))
                CloseBrowser(execution.Session);
            else
                UnknownCommand(execution);
            NoteRefusal(execution, null);
            return null;
        }

        if (!spec.IsContainer || execution.ArgumentCount < 2)
            return spec;
        CommandSpec? subcommand = spec.FindSubcommand(execution.Argument(1));
        if (subcommand is not null)
            return subcommand;
        string name = spec.Name.ToUpperInvariant();
        ReadOnlySpan<byte> given = execution.Argument(1);
        execution.Reply.Error(
            "ERR unknown subcommand '"u8, given[..Math.Min(given.Length, EchoedArgumentsLengthMax)],
            Encoding.ASCII.GetBytes($"'. Try {name} HELP."));
        NoteRefusal(execution, null);
        return null;
    }

    private static bool IsHttp(ReadOnlySpan<byte> name) =>
        Ascii.EqualsIgnoreCase(name, "post"u8) || Ascii.EqualsIgnoreCase(name, "host:"u8);

    // A web page can make its reader's browser send requests to ports of the reader's machine, with commands
    // in their bodies. They begin with these lines: nothing after them is executed.
    private void CloseBrowser(Session session)
    {
        session.Flags |= SessionFlags.CloseAfterReply;
        long nowMs = _server.Clock.MonotonicNanoseconds / 1_000_000;
        if (_browserWarnedMs != 0 && nowMs - _browserWarnedMs < BrowserWarningIntervalMs)
            return;
        _browserWarnedMs = nowMs;
        _server.Log.Write(LogLevel.Warning,
            $"Possible attack: {session.Endpoint.RemoteAddress} sends HTTP (POST or Host:), as a browser "
                + "does that is made to reach this server. The connection is closed.");
    }

    private static void UnknownCommand(SessionExecution execution)
    {
        // Redis shows up to 128 bytes of the name and, each in quotes, of the arguments together.
        ReadOnlySpan<byte> name = execution.Argument(0);
        execution.Reply.BeginError();
        execution.Reply.ErrorText("ERR unknown command '"u8);
        execution.Reply.ErrorText(name[..Math.Min(name.Length, EchoedArgumentsLengthMax)]);
        execution.Reply.ErrorText("', with args beginning with: "u8);
        int used = 0;
        for (int index = 1; index < execution.ArgumentCount && used < EchoedArgumentsLengthMax; index++)
        {
            ReadOnlySpan<byte> argument = execution.Argument(index);
            argument = argument[..Math.Min(argument.Length, EchoedArgumentsLengthMax - used)];
            execution.Reply.ErrorText("'"u8);
            execution.Reply.ErrorText(argument);
            execution.Reply.ErrorText("' "u8);
            used += argument.Length + 3;
        }

        execution.Reply.EndError();
    }

    private static byte[] ProtectedCommandError(CommandSpec spec)
    {
        string name = (spec.Parent ?? spec).Name;
        return Encoding.ASCII.GetBytes($"ERR {name.ToUpperInvariant()} command not allowed. If the "
            + $"enable-{name}-command option is set to \"local\", you can run it from a local "
            + "connection, otherwise you "
            + "need to set this option in the configuration file, and then restart the server.");
    }

    // A refused EXEC ends its transaction; its error says so, without the reason's code.
    private bool Refuse(SessionExecution execution, ReadOnlySpan<byte> start, ReadOnlySpan<byte> name,
        ReadOnlySpan<byte> rest)
    {
        execution.Reply.BeginError();
        if (execution.Spec.RunsTransaction)
        {
            _server.Watches.EndTransaction(execution.Session);
            execution.Reply.ErrorText("EXECABORT Transaction discarded because of: "u8);
            start = start.StartsWith("ERR "u8) ? start["ERR ".Length..] : start;
        }

        execution.Reply.ErrorText(start);
        execution.Reply.ErrorText(name);
        execution.Reply.ErrorText(rest);
        execution.Reply.EndError();
        NoteRefusal(execution, execution.Spec);
        return true;
    }

    // The client is to send its transaction to the master: EXEC has the same error as another command.
    private bool RefuseRedirected(SessionExecution execution, Redirection redirection)
    {
        if (execution.Spec.RunsTransaction)
            _server.Watches.EndTransaction(execution.Session);
        execution.Reply.Error(redirection.Error);
        NoteRefusal(execution, execution.Spec);
        return true;
    }

    private bool NoteRefusal(SessionExecution execution, CommandSpec? spec)
    {
        Session session = execution.Session;
        if ((session.Flags & SessionFlags.InTransaction) != 0)
            session.Flags |= SessionFlags.TransactionBroken;
        if (spec is not null)
            _statistics.Commands[(int)spec.Id].RejectedCount++;
        return false;
    }
}
