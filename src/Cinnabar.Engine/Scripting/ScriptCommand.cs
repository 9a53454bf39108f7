// A command that a script calls. The checks run in Redis's order, since scripts see the first that fails. A
// command that touches a stripe that the execution does not hold, or that does what an undo record cannot
// take back, makes the script run again elsewhere (ScriptRun).

using Cinnabar.Engine.Access;
using Cinnabar.Engine.Admission;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Lua.Running;
using Cinnabar.Messaging;
using Cinnabar.Platform;
using Cinnabar.Security.Logging;

namespace Cinnabar.Engine.Scripting;

/// <summary>Calls the commands of a script.</summary>
internal sealed unsafe class ScriptCommand : IDisposable
{
    // A step of the machine takes about as long as copying so much.
    private const int BytesPerStepLog2 = 8;

    private readonly ScriptSurroundings _surroundings;
    private readonly ILoopServer _server;
    private readonly ScriptRun _run;
    private readonly ScriptSights _sights;
    private readonly GateSet _gates;
    private readonly Clock _clock;
    private readonly ScriptArguments _arguments = new();
    private readonly KnownCommands _commands;
    private readonly ScriptKeys _keys;
    private readonly ReplyOutput _output;
    private byte[] _refusal = [];

    // The script's own, while its commands use the execution.
    private CommandSpec _ownSpec = null!;
    private ArgumentList _ownArguments;
    private ReplyWriter _ownReply;
    private ExecutionPlace _ownPlace;

    /// <summary>Calls commands for a run.</summary>
    public ScriptCommand(ScriptSurroundings surroundings, ScriptRun run, ScriptSights sights)
    {
        (_surroundings, _server, _run, _sights) = (surroundings, surroundings.Server, run, sights);
        (_gates, _clock) = (_server.Gates, _server.Clock);
        _commands = new KnownCommands(_server);
        _keys = new ScriptKeys(_server, run);
        _output = surroundings.MakeOutput(ReplyOutput.ServedChunkSize, sights.Errors);
    }

    /// <summary>Why a command was not called, or empty.</summary>
    public ReadOnlySpan<byte> Refusal => _refusal;

    /// <summary>How much of the script's time until its next interrupt the last call has taken: all of it
    /// where the command's cost grows with the data.</summary>
    public int StepCount { get; private set; }

    /// <summary>Lends a script's execution to the commands that it calls.</summary>
    public void Begin(SessionExecution execution)
    {
        (_ownSpec, _ownArguments, _ownPlace) = (execution.Spec, execution.Arguments, execution.Place);
        _ownReply = execution.Reply;
        execution.Place = ExecutionPlace.Nested;
        execution.IsInScript = true;
        execution.ScriptTimeUs = null;
        execution.Reply = _output.MakeWriter();
    }

    /// <summary>Gives it back to the script.</summary>
    public void End(SessionExecution execution)
    {
        _output.Discard(ref execution.Reply);
        execution.Effects.Audience = JournalAudience.All;
        execution.IsInScript = false;
        (execution.Spec, execution.Arguments, execution.Place) = (_ownSpec, _ownArguments, _ownPlace);
        execution.Reply = _ownReply;
        _keys.Forget();
    }

    /// <summary>Calls a command with the arguments of a call of redis.call, between <see cref="Begin"/> and
    /// <see cref="End"/>.</summary>
    /// <returns>Its reply, which holds until the next one; empty: it was refused.</returns>
    public ReadOnlySpan<byte> Call(LuaCall call)
    {
        _refusal = Check(call, out CommandSpec? spec);
        StepCount = 0;
        if (_refusal.Length != 0)
        {
            _sights.Errors.Count(_refusal);
            if (spec is not null)
                _sights.Refused(spec);
            return default;
        }

        _run.CountCall();
        SessionExecution execution = _run.Execution;
        Debug.Assert(execution.Place == ExecutionPlace.Nested, "the script has lent its execution");
        // SAFETY: a single run begins where the output's chunk does.
        if (_output.IsSingleRun)
            execution.Reply.Cursor = _output.RunStart;
        else
            _output.Discard(ref execution.Reply);
        execution.Spec = spec!;
        StepCount = spec!.IsConstantCost ? (int)(_arguments.Size >> BytesPerStepLog2) : int.MaxValue;
        execution.Arguments = _arguments.List;
        execution.Reply.Protocol = _run.IsResp3 ? 3 : 2;
        Prepare(execution, spec!, call);
        Run(execution, spec!);
        return Gather(ref execution.Reply);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _output.Dispose();
        _arguments.Dispose();
    }

    /// <summary>Whether the script's user may run the command that the arguments of a call name; null: they
    /// name none.</summary>
    public bool? IsAllowed(LuaCall call) =>
        _arguments.TryTake(call) && _commands.Find(call[0].AsString, _arguments.List) is { } spec
            ? AccessControl.Find(_run.Execution, spec, _arguments.List).IsNone : null;

    private byte[] Check(LuaCall call, out CommandSpec? spec)
    {
        spec = null;
        if (call.Count == 0)
            return "ERR Please specify at least one argument for this redis lib call"u8.ToArray();
        if (!_arguments.TryTake(call))
            return "ERR Lua redis lib command arguments must be strings or integers"u8.ToArray();
        CommandSpec? found = _commands.Find(call[0].AsString, _arguments.List);
        if (found is null)
            return "ERR Unknown Redis command called from script"u8.ToArray();
        if (!found.AcceptsCount(call.Count))
            return "ERR Wrong number of args calling Redis command from script"u8.ToArray();
        spec = found;
        if (found.IsContainer || (found.Has(CommandFlags.NoScript) && IsDenied(found)))
            return "ERR This Redis command is not allowed from script"u8.ToArray();
        bool isReplay = _run.Execution.IsReplay;
        if (_gates.Has(ServerGates.Loading) && !found.Has(CommandFlags.Loading) && !isReplay)
            return Errors.Loading.ToArray();
        if (!isReplay && !_run.Execution.Session.Account.User.IsUnrestricted
            && CheckAccess(found) is { Length: > 0 } denied)
            return denied;
        if (_run.IsTrial && CannotBeUndone(found, _arguments.List))
        {
            return Encoding.ASCII.GetBytes(
                $"ERR {found.Name} can't be taken back: debug the script with SCRIPT DEBUG SYNC");
        }

        return CheckWriting(found);
    }

    // Tests may call what is denied (DEBUG SET-DISABLE-DENY-SCRIPTS), if a transaction could contain it, it
    // subscribes to nothing, and no second script begins.
    private bool IsDenied(CommandSpec spec)
    {
        const CommandFlags never = CommandFlags.NoMulti | CommandFlags.NotQueued | CommandFlags.PubSub;
        return !_surroundings.AllowsDeniedCommands || spec.RunsScript || spec.Has(never);
    }

    // It allocates, so it is called for restricted users only.
    private byte[] CheckAccess(CommandSpec spec)
    {
        var session = _run.Execution.Session;
        AccessDenial denial = AccessControl.Find(_run.Execution, spec, _arguments.List);
        if (denial.IsNone)
            return AccessCheck.FindSortError(session.Account.User, spec, _arguments.List).ToArray();
        string subject = AccessControl.SubjectOf(denial, spec, _arguments.List);
        _run.Show(() => _server.Access.Note(
            session, denial.Reason, DenialPlace.Script, subject, session.User), subject.Length);
        return AccessErrors.InScript(denial.Reason);
    }

    private byte[] CheckWriting(CommandSpec spec)
    {
        if (_run.IsReadOnly && spec.Has(CommandFlags.Write | CommandFlags.MayReplicate))
            return "ERR Write commands are not allowed from read-only scripts."u8.ToArray();
        if (_gates.Has(ServerGates.MasterDown) && !spec.Has(CommandFlags.Stale) && !_run.Execution.IsReplay)
            return "ERR Can not execute the command on a stale replica"u8.ToArray();
        // A script that has begun to write goes on; so does one that a file records.
        if (_run.HasWritten || _run.Execution.IsReplay)
            return [];
        if (spec.IsWriting && _gates.Has(ServerGates.ReplicaReadOnly))
            return ReplicaErrors.ReadOnly.ToArray();
        if (spec.IsWriting && _gates.Has(ServerGates.DiskFailed))
            return _server.DiskErrors.Error.ToArray();
        if (spec.IsWriting && _server.ReplicaMinimum.IsMissed)
            return ReplicaMinimum.Error;
        // What the system does not give, no flag of the script allows to take.
        return spec.Has(CommandFlags.DenyOom) && (_run.IsShortOfMemory || _server.MemoryLimit.IsShort)
            ? _server.MemoryLimit.Refusal.ToArray() : [];
    }

    // Stripes, and what the undo record needs.
    private void Prepare(SessionExecution execution, CommandSpec spec, LuaCall call)
    {
        bool isOnKeys = spec.Lock == LockScope.Keys;
        if (_run.CanLeave && CannotBeUndone(spec, execution.Arguments))
            throw _run.NeedNoUndo();
        bool needsAll = spec.Lock is LockScope.All or LockScope.Chosen
            || LockPlan.NeedsAll(spec, execution.Arguments);
        if (needsAll && !_run.HoldsAll)
            throw _run.NeedAllStripes();
        execution.UseAllStripes();
        execution.Keys.Database = execution.Session.Database;
        if (isOnKeys)
            _keys.Prepare(execution, spec, call);

        if (spec.IsWriting)
            _run.BeginWriting();
    }

    // It writes without keys, to keys of another database, or to such as its arguments do not name for
    // certain; or it is one that scripts may not call, which may do anything to the server.
    private static bool CannotBeUndone(CommandSpec spec, ArgumentList arguments)
    {
        if (spec.Has(CommandFlags.NoScript))
            return true;
        if (!spec.Has(CommandFlags.Write | CommandFlags.MayReplicate))
            return false;
        if (spec.Lock != LockScope.Keys)
            return spec.IsWriting;
        // SORT names what it writes; MIGRATE changes another server.
        return new KeyArguments(spec, spec.AccessSpecs, arguments).MoveNext()
            || (LockPlan.NeedsAll(spec, arguments) && !spec.Has(CommandFlags.ReadsByPattern))
            || spec.Id == CommandId.Migrate;
    }

    private void Run(SessionExecution execution, CommandSpec spec)
    {
        if (_gates.Has(ServerGates.Monitored))
            ShowToMonitors(execution);
        if ((spec.AccessFlags & KeySpecFlags.Channel) != 0 && _run.CanLeave)
        {
            PublishLater(execution, spec);
            return;
        }

        // A run that can leave takes less than what is observed, unless every command is.
        bool isObserved = !_run.CanLeave || _server.Observation.NeedsEveryTime;
        bool isTimed = _sights.IsNextTimed(spec) || isObserved;
        long startNs = isTimed ? _clock.MonotonicNanoseconds : 0;
        int errorCount = execution.Reply.ErrorCount;
        execution.Effects.Audience = _run.Audience;
        HandlerCall.InvokeNested(execution, spec);
        if ((execution.Session.Flags & SessionFlags.Tracking) != 0 && spec.Has(CommandFlags.ReadOnly))
            execution.Server.ReadTracking.RememberKeys(execution, _ownSpec, _ownArguments);
        execution.Effects.Audience = JournalAudience.All;
        long elapsedNs = isTimed ? _clock.MonotonicNanoseconds - startNs : -1;
        _sights.Called(spec, elapsedNs, execution.Reply.ErrorCount != errorCount);
        if (isObserved && !execution.IsReplay)
            Observe(execution, elapsedNs);
    }

    private void Observe(SessionExecution execution, long elapsedNs)
    {
        long replyBytes = execution.ReplyByteCount;
        if (!_run.CanLeave)
        {
            _server.Observation.Executed(execution, elapsedNs, replyBytes);
            return;
        }

        var words = new byte[execution.ArgumentCount][];
        long bytes = 0;
        for (int index = 0; index < words.Length; index++)
        {
            words[index] = execution.Argument(index).ToArray();
            bytes += words[index].Length;
        }

        (Session session, CommandSpec spec) = (execution.Session, execution.Spec);
        _run.Show(
            () => _server.Observation.ExecutedBefore(session, spec, words, elapsedNs, replyBytes), bytes);
    }

    // The number of receivers may change until the message is sent.
    private void PublishLater(SessionExecution execution, CommandSpec spec)
    {
        bool isOfShard = spec.Id == CommandId.Spublish;
        ChannelRegistry channels = isOfShard ? _surroundings.ShardChannels : _surroundings.Channels;
        byte[] channel = execution.Argument(1).ToArray();
        byte[] payload = execution.Argument(2).ToArray();
        execution.Reply.Integer(channels.CountReceivers(channel));
        if ((_run.Audience & JournalAudience.Replicas) != 0 && execution.Effects.HasReplicas)
            execution.Effects.AddForReplicas(
                execution.Arguments, isOfShard ? CommandLevel.Redis70 : CommandLevel.Redis62);
        _sights.Called(spec, elapsedNs: 0, isFailed: false);
        var session = execution.Session;
        _run.Show(() =>
        {
            channels.Publish(channel, payload, session, out bool reachesPublisher);
            session.HasOwnMessages |= reachesPublisher;
        }, channel.Length + payload.Length);
    }

    private void ShowToMonitors(SessionExecution execution)
    {
        if (!Monitors.Shows(execution.Spec))
            return;
        byte[] line = _server.Monitors.LineOf(execution, isInScript: true);
        _run.Show(() => _server.Monitors.Send(line), line.Length);
    }

    private ReadOnlySpan<byte> Gather(ref ReplyWriter reply)
    {
        // SAFETY: the run lies in the output's chunk until the next command of the script.
        if (_output.IsSingleRun)
            return new ReadOnlySpan<byte>(_output.RunStart, (int)(reply.Cursor - _output.RunStart));
        byte[] bytes = _output.Gather(reply.Cursor);
        _output.Discard(ref reply);
        return bytes;
    }
}
