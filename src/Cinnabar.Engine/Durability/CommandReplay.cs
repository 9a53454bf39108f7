// Replaying what executions recorded (Keyspace/Effects), or what Redis did: the commands of an append-only
// file. A command runs by its own handler, on behalf of no client: the reply is discarded, nothing is
// recorded, and limits on what clients may do do not hold. No key expires meanwhile: the removal of a key
// past its deadline is recorded like every other change, and a deadline that has passed since is one that the
// key had when the next command ran.
//
// The reader of the file gives a transaction only when all of it is there (AofLoader).

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Persistence.Journal.Loading;

namespace Cinnabar.Engine.Durability;

/// <summary>Executes recorded commands on a server's keys, on a thread that is no loop's or under all
/// stripes.</summary>
internal sealed class CommandReplay : ICommandReplay, IDisposable
{
    private const int SpinCount = 100;
    private const int LoggedErrorCountMax = 100;
    private const long StringLengthMin = 512L << 20;
    private const string HandlersOfData = "Cinnabar.Commands.";

    private readonly ILoopServer _server;
    private readonly bool _isHolding;
    private readonly SessionExecution _execution;
    private readonly UnsentReplies _replies = new();
    private readonly DiscardSink _muted = new();
    private readonly Session _session;
    private int _database;

    /// <summary>Makes a replay that begins with database 0.</summary>
    /// <param name="server">Whose keys.</param>
    /// <param name="isHolding">Whether the caller holds all stripes; otherwise each command takes its
    /// own.</param>
    public CommandReplay(ILoopServer server, bool isHolding = false)
    {
        (_server, _isHolding) = (server, isHolding);
        _execution = new SessionExecution(server.Loops[0], randomSeed: 1)
        {
            IsReplay = true,
            Place = ExecutionPlace.Nested,
            Reply = new ReplyWriter(_replies),
            StringLengthMax = Math.Max(server.Settings.BulkLengthMax, StringLengthMin),
        };
        _execution.Reply.Mute(_muted);
        // Scripts act for a client.
        var nowhere = new SessionEndpoint("", "", -1, ConnectionKind.InProcess, IsLoopback: true);
        _execution.Session = _session = new Session(0, server.Loops[0], nowhere, nowMs: 0);
        _execution.Keys.IsSilent = true;
        _execution.Keys.SeesExpired = true;
        // The loop counts in its own meanwhile.
        _execution.Keys.Statistics = _execution.OffLoopStatistics;
    }

    /// <summary>Commands that were executed.</summary>
    public long CommandCount { get; private set; }

    /// <summary>Commands that replied an error, or were not executed because they do not act on keys
    /// alone.</summary>
    public long ErrorCount { get; private set; }

    /// <inheritdoc/>
    public bool TryReplay(ArgumentList arguments)
    {
        CommandSpec? spec = _server.Commands.FindRecorded(arguments);
        if (spec is null)
            return false;
        if (spec.Id == CommandId.Select)
            Select(arguments);
        else if (!spec.AcceptsCount(arguments.Count))
            NoteError(spec, UnsentReplies.WrongCount(spec));
        else if (IsOfData(spec))
            Run(spec, arguments);
        else if (spec.Has(CommandFlags.Write | CommandFlags.MayReplicate))
            NoteError(spec, UnsentReplies.NotOfData);
        return true;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _execution.Reply = default;
        _execution.Dispose();
        _replies.Dispose();
        _muted.Dispose();
    }

    /// <summary>Whether a recorded command makes a change: the others act for a client, or are MULTI and
    /// EXEC.</summary>
    internal static bool IsOfData(CommandSpec spec) =>
        spec.RunsScript || spec.Id is CommandId.ScriptLoad or CommandId.ScriptFlush
        || ((spec.Has(CommandFlags.Write) || spec.Id == CommandId.Pfcount)
            && (spec.Name is "restore" or "restore-asking" || spec.Parent?.Name == "function"
                || spec.Function.StartsWith(HandlersOfData, StringComparison.Ordinal)));

    private void Run(CommandSpec spec, ArgumentList arguments)
    {
        int errorCount = _execution.Reply.ErrorCount;
        _execution.Spec = spec;
        _execution.Arguments = arguments;
        _execution.FillKeyHashes();
        Enter(spec, arguments);
        _execution.Keys.Begin(_database, _server.Clock.UnixMicroseconds / 1000);
        if (spec.RunsScript)
            HoldAll();
        Outcome outcome = HandlerCall.Invoke(_execution, spec);
        Debug.Assert(outcome.IsDone, spec.Name, "a command that waits for nothing runs to its end");
        _execution.Effects.Discard();
        _execution.Keys.Commit();
        Exit(spec, arguments);
        _execution.Arguments = default;
        CommandCount++;
        if (_execution.Reply.ErrorCount != errorCount)
            NoteError(spec, _replies.LastError);
    }

    // Versions before Redis 7 recorded scripts, not what they did.
    private void HoldAll()
    {
        _session.Database = _database;
        _execution.Stripes = StripeSet.All(_server.Keyspace.Stripes.Length);
    }

    private void Select(ArgumentList arguments)
    {
        if (arguments.Count == 2 && RedisNumber.TryParseInt64(arguments[1].Span, out long database)
            && (ulong)database < (ulong)_server.Keyspace.DatabaseCount)
            _database = (int)database;
        else
            NoteError(CommandTable.Get(CommandId.Select), Errors.DatabaseOutOfRange);
    }

    private void NoteError(CommandSpec spec, ReadOnlySpan<byte> error)
    {
        if (_server.Settings.PropagationErrors == PropagationErrors.Panic)
        {
            throw new AofLoadException("This server panicked sending an error to its AOF-loading-client: "
                + UnsentReplies.Describe(error, spec.Name));
        }

        if (ErrorCount++ < LoggedErrorCountMax)
        {
            _server.Log.Write(LogLevel.Warning, "== CRITICAL == This server is sending an error to its "
                + "AOF-loading-client: " + UnsentReplies.Describe(error, spec.Name));
        }
    }

    private void Enter(CommandSpec spec, ArgumentList arguments)
    {
        if (_isHolding)
            return;
        if (spec.IsSingleKey)
        {
            Stripe stripe = _server.Keyspace.StripeOf(arguments[spec.FirstKey].Hash);
            while (!stripe.Lock.TryEnter() && !stripe.Lock.TryEnterSpinning(SpinCount))
                Thread.Yield();
            return;
        }

        // No stripe is kept while another is waited for: its holder may wait for the first one.
        ReadOnlySpan<Stripe> stripes = _server.Keyspace.Stripes;
        for (int taken = 0; taken < stripes.Length;)
        {
            if (stripes[taken].Lock.TryEnter() || stripes[taken].Lock.TryEnterSpinning(SpinCount))
            {
                taken++;
                continue;
            }

            for (; taken > 0; taken--)
                stripes[taken - 1].Lock.Exit();
            Thread.Yield();
        }
    }

    private void Exit(CommandSpec spec, ArgumentList arguments)
    {
        if (_isHolding)
            return;
        if (spec.IsSingleKey)
        {
            _server.Keyspace.StripeOf(arguments[spec.FirstKey].Hash).Lock.Exit();
            return;
        }

        foreach (Stripe stripe in _server.Keyspace.Stripes)
            stripe.Lock.Exit();
    }
}
