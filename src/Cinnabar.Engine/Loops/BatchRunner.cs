// Executing a batch: the last stage of a turn. Its commands are in runs, one session's behind another's;
// checks that hold for a run are made once. A command on the shortest path (a known command with the right
// number of arguments, of a session and a server in no special state, with one key) then costs a lock, a
// handler, a count. While one is executed, the next ones' entries are on their way from memory
// (CommandScanner).

using Cinnabar.Engine.Access;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>Executes the commands of a loop's batches.</summary>
internal sealed unsafe class BatchRunner
{
    // A single command has nothing to overlap with.
    private const int LookaheadCountMin = 2;

    private readonly ILoopServer _engine;
    private readonly InputReceiver _inputs;
    private readonly GateSet _gates;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly CommandRunner _runner;
    private readonly CommandGate _gate;
    private readonly CommandCalls _calls;
    private readonly LoopExecutions _executions;
    private readonly CommandTimer _timer;
    private readonly SessionOutput _output;
    private readonly ArgumentList[] _upcoming = new ArgumentList[Lookahead.CountMax];
    private bool _isShortPathOpen;
    private int _lookaheadEnd;

    /// <param name="server">The server.</param>
    /// <param name="inputs">The inputs of the turn.</param>
    /// <param name="runner">Runs commands.</param>
    /// <param name="gate">Runs those that are not on the shortest path.</param>
    public BatchRunner(ILoopServer server, InputReceiver inputs, CommandRunner runner, CommandGate gate)
    {
        _engine = server;
        _inputs = inputs;
        _gates = _engine.Gates;
        _keyspace = _engine.Keyspace;
        _runner = runner;
        _gate = gate;
        _calls = runner.Calls;
        _executions = runner.Executions;
        _timer = runner.Timer;
        _output = runner.Output;
    }

    /// <summary>Executes a batch in order.</summary>
    // Not inlined: its caller would become so large that the calls for each command would not be inlined.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Run(CommandScanner batch)
    {
        int count = batch.Count;
        if (count == 0)
            return;
        _runner.BeginBatch();
        _isShortPathOpen = !_engine.Observation.NeedsEveryTime;
        _lookaheadEnd = 0;
        for (int index = 0; index < count;)
        {
            int inputIndex = batch[index].Input;
            ref TurnInput input = ref _inputs[inputIndex];
            if (!input.IsDone)
                Enter(ref input);
            for (; index < count && batch[index].Input == inputIndex; index++)
            {
                batch.PrefetchBehind(index);
                input.BatchedCount--;
                if (!input.IsDone)
                    RunOne(ref input, index, batch);
            }
        }

        _output.EndBatch(_timer.Settle());
    }

    /// <summary>Turns to the session of an input.</summary>
    private void Enter(ref TurnInput input)
    {
        Session session = input.Session;
        if (!session.IsClosed && !_output.IsOf(session))
        {
            _timer.Settle();
            // The cost of sending replies belongs to no command.
            if (_output.Switch(session))
                _timer.Begin(session);
            else
                _timer.Turn(session);
        }

        // It may have been killed in this turn: its input no longer has an effect.
        if (session.IsKilled)
            _runner.Closing.Close(session);
        // Earlier replies of its own may have been among those sent, to a peer that has gone.
        if (session.IsClosed)
            input.IsDone = true;
    }

    // Not inlined, as what it calls is: the run would get too large for the calls in it to be.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunOne(ref TurnInput input, int index, CommandScanner batch)
    {
        ref BatchCommand command = ref batch[index];
        Session session = input.Session;
        SessionExecution execution = _executions.Current;
        CommandSpec? spec = command.Spec;
        // References are written only where they differ: each such store costs a barrier.
        if (execution.Session != session)
            execution.Session = session;
        if (execution.Spec != spec)
            execution.Spec = spec!;
        execution.Arguments = batch.Arguments(in command);
        if (!input.IsPartial && spec is { IsShort: true } && _isShortPathOpen
            && spec.AcceptsCount(command.ArgumentCount)
            && (session.Flags == SessionFlags.None || IsAllowedShort(execution, spec))
            && IsOpenTo(spec, session))
        {
            if (!spec.IsSingleKey)
            {
                if (!RunBare(execution, spec))
                    StopInput(ref input, command.End);
                return;
            }

            Stripe stripe = _keyspace.StripeOf(command.Hash);
            if (stripe.Lock.TryEnter())
            {
                if (!stripe.HasWaiters || !TryRunAwaited(ref input, in command, execution, stripe))
                    RunShort(ref input, index, batch, stripe);
                return;
            }
        }

        RunLong(ref input, in command, execution);
    }

    /// <summary>Whether no gate keeps a command off the short path.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsOpenTo(CommandSpec spec, Session session)
    {
        ServerGates gates = _gates.Value;
        return gates == ServerGates.None || IsOpenTo(spec, session, gates);
    }

    // Near maxmemory there must be room for it. A replica's clients read, but those that follow redirections.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsOpenTo(CommandSpec spec, Session session, ServerGates gates) => gates switch
    {
        ServerGates.MemoryNear => !spec.Has(CommandFlags.DenyOom) || _runner.Eviction.TryMakeRoom(),
        ServerGates.Replica => !session.FollowsRedirections,
        ServerGates.Replica | ServerGates.ReplicaReadOnly =>
            !spec.Has(CommandFlags.Write) && !session.FollowsRedirections,
        _ => false,
    };

    /// <summary>Whether a command is nothing but its user's restrictions, which allow it, or the tracking of
    /// what it reads away from the shortest path. The gate finds the error of one that is not allowed, and
    /// sends the invalidations of what a client that tracks has changed.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsAllowedShort(SessionExecution execution, CommandSpec spec)
    {
        const SessionFlags passingFlags = SessionFlags.Restricted | SessionFlags.Tracking;
        Session session = execution.Session;
        if ((session.Flags & ~passingFlags) != 0 || !spec.IsSingleKey)
            return false;
        if ((session.Flags & SessionFlags.Tracking) != 0
            && (!spec.Has(CommandFlags.ReadOnly) || session.Tracking is { IsCachingChosen: true }))
            return false;
        return (session.Flags & SessionFlags.Restricted) == 0
            || AccessControl.Find(execution, spec, execution.Arguments).IsNone;
    }

    /// <summary>Prefetches the memory that a command and the similar ones behind it on the same key will
    /// read; the stripe is locked.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void LookAhead(SessionExecution execution, int index, CommandScanner batch)
    {
        ref BatchCommand first = ref batch[index];
        int countMax = Math.Min(batch.Count - index, _upcoming.Length);
        int count = 0;
        for (; count < countMax; count++)
        {
            ref BatchCommand next = ref batch[index + count];
            if (next.Hash != first.Hash || next.Spec != first.Spec || next.Database != first.Database)
                break;
            _upcoming[count] = batch.Arguments(in next);
        }

        _lookaheadEnd = index + count;
        if (count < LookaheadCountMin)
            return;
        execution.ShowUpcoming(_upcoming, count);
        // SAFETY: the generator bound the address to a static method of this signature.
        ((delegate*<Execution, void>)first.Spec!.LookaheadAddress)(execution);
    }

    /// <summary>Runs a command whose key has waiters, with its stripe held: the runner widens the stripes by
    /// those that serving takes.</summary>
    /// <returns>False where the key has none, and the stripe is still held.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryRunAwaited(
        ref TurnInput input, in BatchCommand command, SessionExecution execution, Stripe stripe)
    {
        if (!_runner.IsAwaited(execution, stripe, out StripeSet needed))
            return false;
        input.Session.LastCommand = execution.Spec;
        execution.Keys.Expected.Set(command.Place, command.Hash, command.Version, command.Database);
        EndLong(ref input, in command, execution, _runner.RunAwaited(execution, stripe, in needed));
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RunLong(ref TurnInput input, in BatchCommand command, SessionExecution execution)
    {
        if (input.IsPartial && input.Session.Partial!.Regions.Count > 0)
            input.Session.Partial.MoveRegionsTo(execution.Regions);
        EndLong(ref input, in command, execution, _gate.ExecuteScanned(execution));
    }

    private void EndLong(
        ref TurnInput input, in BatchCommand command, SessionExecution execution, bool isOver)
    {
        Session session = input.Session;
        _isShortPathOpen = !_engine.Observation.NeedsEveryTime;
        if (isOver && execution.Regions.Count > 0)
            execution.ReleaseRegions();
        if (!isOver || !_runner.EndCommand(session))
        {
            StopInput(ref input, command.End);
            return;
        }

        if (input.IsPartial && command.End == session.Partial!.Length)
            EndPartial(ref input);
        // It may have written other sessions' replies.
        else if (!_output.IsOf(session))
            Enter(ref input);
    }

    /// <summary>Runs a command of constant cost under its stripe's lock, which it releases.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void RunShort(ref TurnInput input, int index, CommandScanner batch, Stripe stripe)
    {
        ref BatchCommand command = ref batch[index];
        SessionExecution execution = _executions.Current;
        CommandSpec spec = execution.Spec;
        CommandRunner.Begin(execution, stripe, _executions.NowMs);
        execution.Keys.Expected.Set(command.Place, command.Hash, command.Version, command.Database);
        if (spec.LookaheadAddress != 0 && index >= _lookaheadEnd)
            LookAhead(execution, index, batch);
        if (!_runner.RunHeld(execution, spec, stripe, isShort: true) || !EndShort(execution, spec))
            StopInput(ref input, command.End);
    }

    /// <summary>Runs a command of constant cost without a key.</summary>
    /// <returns>False where no more of the input may be executed for now.</returns>
    private bool RunBare(SessionExecution execution, CommandSpec spec)
    {
        Outcome outcome = _calls.Call(execution, spec, isShort: true);
        Debug.Assert(outcome.IsDone, "a command without keys is done at once");
        return EndShort(execution, spec);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool EndShort(SessionExecution execution, CommandSpec spec)
    {
        Session session = execution.Session;
        if (session.LastCommand != spec)
            session.LastCommand = spec;
        if (_output.ByteCountAt(execution.Reply.Cursor) >= SessionOutput.FlushBytes)
            return _runner.EndCommand(session);
        session.CommandCount++;
        return !session.IsReadingStopped && !session.IsClosing;
    }

    private void EndPartial(ref TurnInput input)
    {
        _inputs.Recycle(input.Session);
        input.IsDone = true;
    }

    /// <summary>Leaves the rest of an input for later, or drops it where the session is closing.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void StopInput(ref TurnInput input, int end)
    {
        Session session = input.Session;
        input.IsDone = true;
        if (session.IsClosing)
        {
            _inputs.Recycle(session);
            return;
        }

        if (!input.IsPartial)
        {
            if (end < input.Length)
                _inputs.PartialOf(session).Append(input.Data + end, input.Length - end);
        }
        else if (end == session.Partial!.Length)
        {
            _inputs.Recycle(session);
        }
        else
        {
            session.Partial.RemoveFront(end);
        }
    }
}
