using Cinnabar.Engine.Mail;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Locks;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Engine.Executions;

/// <summary>An execution on behalf of a session. A loop uses one for command after command; a command that
/// waits or goes to the slow lane keeps it, with its locks and a copy of its arguments.</summary>
public sealed unsafe class SessionExecution : Execution, ILockWaiter, IThreadPoolWorkItem,
    ISuspendedWork, IDisposable
{
    private const long UsPerMs = 1000;

    private readonly ArgumentCopies _copies;
    private LaneTurn _laneTurn;
    private ScriptTurn _scriptTurn;
    private RdbValueLoader? _valueLoader;

    internal SessionExecution(IExecutionLoop loop, ulong randomSeed)
        : base(new KeyspaceAccess(loop.Server.Keyspace, loop.KeyspaceStatistics), randomSeed)
    {
        Keys.Owner = this;
        _copies = new ArgumentCopies(this);
        (Loop, Server, LockPlace) = (loop, loop.Server, new LockPlace(this));
        LoopActivity = loop.Activity;
        LoopCostNsMax = Server.LoopCostNsMax;
    }

    /// <inheritdoc/>
    public LockPlace LockPlace { get; }

    internal IExecutionServer Server { get; }

    /// <summary>The client.</summary>
    public Session Session { get; internal set => ExecutionActivity.Note(this, field = value); } = null!;

    /// <summary>The loop that the session belongs to.</summary>
    internal IExecutionLoop Loop { get; }

    internal ActivityRow* LoopActivity { get; }

    /// <summary>Builds values from their dumps, one after the other; each is stored or discarded.</summary>
    internal RdbValueLoader ValueLoader => _valueLoader ??= new RdbValueLoader(Keys);

    internal CommandSpec Spec { get; set => ExecutionActivity.Note(this, field = value); } = null!;

    /// <summary>Whether its command runs a script, or does so as one of a transaction.</summary>
    internal bool RunsScript { get; set; }

    /// <summary>What TIME replies to its script, in microseconds of Unix time: when the script first asked;
    /// null: it has not.</summary>
    internal long? ScriptTimeUs { get; set; }

    /// <summary>Whether the script that it has run last is a function; racy.</summary>
    internal bool RunsFunction { get; set; }

    /// <summary>The state of the execution. Written by its owner of the moment.</summary>
    internal ExecutionState State { get; set => field = ExecutionTransitions.Next(field, value); }

    /// <summary>Whether its thread is no loop's.</summary>
    internal bool IsOffLoop => State == ExecutionState.InSlowLane || IsReplay;

    bool ISuspendedWork.IsBlocked => Waiter is { IsBrief: false };
    bool ISuspendedWork.IsReplyAhead => State is ExecutionState.InSlowLane or ExecutionState.Serving
        or ExecutionState.Completed;
    bool ISuspendedWork.IsWithLane => State is ExecutionState.InSlowLane or ExecutionState.Completed;

    /// <summary>The stripes that the execution needs, or holds while it runs.</summary>
    internal StripeSet Stripes;

    /// <summary>The first stripe not yet held; all of <see cref="Stripes"/> before it are.</summary>
    internal int StripeNext { get; set; }

    /// <summary>The stripe that it waits for, or was woken for; −1: none.</summary>
    internal int StripeWaited { get; set; } = -1;

    /// <summary>Called when it may try again; null: its loop or the lane resumes it.</summary>
    internal Action? StripeGranted { get; init; }

    /// <summary>How often it has failed to get its stripes.</summary>
    internal int LockFailureCount { get; set; }

    /// <summary>When it failed for the first time, in monotonic nanoseconds.</summary>
    internal long LockFailureFirstNs { get; set; }

    /// <summary>Whether the execution holds the server's escalation token.</summary>
    internal bool HoldsToken { get; set; }

    /// <summary>Whether the session has closed meanwhile: release everything, do nothing.</summary>
    internal bool IsAbandoned { get; set; }

    /// <summary>Its wait, from its handler's request to the end; null: it does not wait.</summary>
    internal Waiter? Waiter { get; set; }

    /// <summary>Whether it holds all stripes that serving the waiters of its keys takes.</summary>
    internal bool CanServe { get; set; }

    /// <summary>The keys with waiters that it has changed.</summary>
    internal List<KeyQueue> ReadyQueues { get; } = [];

    /// <summary>The execution that serves it, while that runs its command.</summary>
    internal SessionExecution? ServedBy { get; set; }

    /// <summary>The first invalidation of its session that may be of a later change than what its reply
    /// shows, where that is made off the loop.</summary>
    internal long InvalidationPosition { get; private set; }

    /// <summary>The journal's position that it waits for (WAITAOF).</summary>
    internal long JournalPosition { get; set; }

    /// <summary>The offset of the replication stream that it waits for (WAIT, WAITAOF).</summary>
    internal long AwaitedOffset { get; set; }

    /// <summary>When it went to the slow lane, in monotonic nanoseconds.</summary>
    internal long SlowLaneStartNs { get; set; }

    /// <summary>The outcome with which it left its loop: how the slow lane begins.</summary>
    internal Outcome Leaving { get; set; }

    /// <summary>The phase of its steps.</summary>
    internal StorePhase StorePhase { get; private set; }

    /// <summary>Whether a result built without keys waits to be stored.</summary>
    internal bool IsBuilt => StorePhase == StorePhase.Built;

    /// <summary>Where it stands in the slow lane.</summary>
    internal ref LaneTurn LaneTurn => ref _laneTurn;

    /// <summary>Whether its script has begun in the slow lane.</summary>
    internal ref ScriptTurn ScriptTurn => ref _scriptTurn;

    /// <summary>Nanoseconds that the command took where it ran off the loop.</summary>
    internal long ElapsedNs { get; set; }

    /// <summary>Whether the command replied an error, where it ran off the loop.</summary>
    internal bool IsFailed { get; set; }

    /// <summary>Errors that the commands of its transaction have replied: they are not its own.</summary>
    internal int NestedErrorCount { get; set; }

    /// <summary>Commands of a transaction that ran off the loop, to be counted on it.</summary>
    internal List<NestedCall> NestedCalls { get; } = [];

    /// <summary>Counters of what ran off the loop.</summary>
    internal KeyspaceStatistics OffLoopStatistics { get; } = new();

    /// <summary>Whether the arguments are copies of its own.</summary>
    internal bool OwnsArguments => _copies.IsHeld;

    /// <summary>Output of its own, while it runs off the loop.</summary>
    internal ReplyOutput? OwnOutput { get; set; }

    /// <summary>Blocks that big arguments were received into, until a handler takes them.</summary>
    internal List<BlockRegion> Regions { get; } = [];

    /// <summary>Bytes replied since the output was last sent; −1 while the reply is muted.</summary>
    // SAFETY: the writer's cursor lies in the current chunk of its sink.
    internal long ReplyByteCount => Reply.IsMuted ? -1 : ((ReplyOutput)Reply.Sink).ByteCount(Reply.Cursor);

    public override bool TryTakeBlocks(int index, out BlockString value)
    {
        ref Argument argument = ref Arguments[index];
        for (int at = 0; at < Regions.Count; at++)
        {
            if (Regions[at].Data != argument.Data)
                continue;
            value = BlockString.Adopt(Server.Keyspace.Blocks, Regions[at], argument.Length);
            Regions.RemoveAt(at);
            return true;
        }

        value = default;
        return false;
    }

    public override void ReplyBlocks(EntryView entry, long offset, long length)
    {
        Reply.BulkHeader((int)length);
        if (!Reply.IsMuted)
            ((ReplyOutput)Reply.Sink).AppendString(ref Reply, entry.BlockString, offset, length);
        Reply.EndBulk();
    }

    public override Outcome EndFlush(bool isAll, bool isSync) => FlushEnd.Run(this, isAll, isSync);

    public override bool IsFlushLazy => Server.Settings.IsUserFlushLazy;

    public override bool CanWait => Place != ExecutionPlace.Nested;

    public override Outcome WaitForKeys(in KeyWait wait)
    {
        Debug.Assert(wait.FirstKey > 0 && wait.KeyCount > 0 && wait.TimeoutMs >= 0, "no key to wait for");
        if (!CanWait)
            return base.WaitForKeys(in wait);
        // A command that has waited before keeps its place and its deadline.
        Waiter ??= new Waiter(
            this, EndOfWaitMs(wait.TimeoutMs), static waiter => waiter.Reply.NullArray())
        { Keys = wait };
        Waiter.RetryMs = wait.RetryMs;
        return Outcome.Wait;
    }

    public override void ReplaceWaitingArgument(int index, ReadOnlySpan<byte> value)
    {
        if (!CanWait)
            return;
        if (!OwnsArguments)
            OwnArguments();
        _copies.Replace(index, value);
    }

    /// <inheritdoc/>
    public void StripeReleased()
    {
        if (StripeGranted is not null)
            StripeGranted();
        else if (State == ExecutionState.InSlowLane)
            Server.SlowLane.Resume(this);
        else
            Loop.Post(new MailboxMessage { Kind = MailboxMessageKind.Resume, Target = this });
    }

    void IThreadPoolWorkItem.Execute() => Server.SlowLane.Run(this);

    /// <inheritdoc/>
    public void Dispose()
    {
        EndSteps();
        ReleaseOwned();
        Keys.Effects.Dispose();
        _copies.Dispose();
        _valueLoader?.Dispose();
        DropOwnOutput();
    }

    /// <summary>When a wait that begins now ends, never earlier than its client's clock says.</summary>
    /// <param name="timeoutMs">Its length in milliseconds; 0: it never ends.</param>
    /// <returns>Unix milliseconds; <see cref="long.MaxValue"/>: never.</returns>
    internal long EndOfWaitMs(long timeoutMs)
    {
        long startMs = (Server.Clock.UnixMicroseconds + UsPerMs - 1) / UsPerMs;
        return timeoutMs == 0 || timeoutMs > long.MaxValue - startMs ? long.MaxValue : startMs + timeoutMs;
    }

    /// <summary>Makes the session wait for a time, without a reply; the handler returns the result.</summary>
    /// <param name="untilMs">Unix milliseconds.</param>
    /// <param name="timedOut">Replies when the time has come.</param>
    /// <param name="isForLoops">See <see cref="Waiter.IsForLoops"/>.</param>
    internal Outcome Block(long untilMs, Action<SessionExecution> timedOut, bool isForLoops = false)
    {
        Waiter = new Waiter(this, untilMs, timedOut) { IsForLoops = isForLoops };
        return Outcome.Wait;
    }

    /// <summary>Ends its wait; by its loop, which has claimed it.</summary>
    internal void EndWait()
    {
        if (Waiter is not { } waiter)
            return;
        Server.Waits.Remove(waiter);
        Waiter = null;
    }

    /// <summary>Notes what has been invalidated so far; under its locks, before it reads off the
    /// loop.</summary>
    internal void NoteInvalidations() =>
        InvalidationPosition = Session.Invalidations is { } queue ? queue.PostedCount : 0;

    /// <summary>Frees its own output, with its content.
    internal void DropOwnOutput()
    {
        OwnOutput?.Dispose();
        OwnOutput = null;
        Reply = default;
    }

    /// <summary>Lets it write into an output of its own, off the loop.</summary>
    internal void UseOwnOutput(int chunkSize)
    {
        if (OwnOutput is { } output && output.ChunkSize < chunkSize)
            DropOwnOutput();
        OwnOutput ??= Server.MakeOutput(chunkSize);
        OwnOutput.Session = Session;
        Reply = OwnOutput.MakeWriter();
        Reply.Protocol = Session.Protocol;
    }

    /// <summary>Bytes replied since a <see cref="ReplyByteCount"/>; 0 where muted.</summary>
    internal long ReplyBytesSince(long start) => start < 0 || Reply.IsMuted ? 0 : ReplyByteCount - start;

    /// <summary>Hashes all arguments that are keys.</summary>
    internal void FillKeyHashes() => KeyArguments.FillHashes(Keys.Keyspace, Spec, Arguments);

    /// <summary>Copies the arguments, which must outlive the input; big ones stay where they are.</summary>
    internal void OwnArguments() => Arguments = _copies.Take(Arguments);

    /// <summary>Frees the copies of <see cref="OwnArguments"/> and the regions that no handler
    /// took.</summary>
    internal void ReleaseOwned()
    {
        ReleaseRegions();
        _copies.Release();
        Arguments = default;
    }

    /// <summary>Keeps the values of its keys that it reads: all but those that it only overwrites.</summary>
    internal void KeepKeys()
    {
        var keys = new KeyArguments(Spec, Arguments);
        while (keys.MoveNext())
        {
            if ((keys.Flags & KeySpecFlags.OW) == 0)
                KeepKey(keys.Current);
        }
    }

    /// <summary>Whether the kept keys still have their kept values.</summary>
    internal bool AreKeptCurrent()
    {
        var keys = new KeyArguments(Spec, Arguments);
        while (keys.MoveNext())
        {
            if ((keys.Flags & KeySpecFlags.OW) == 0 && !IsKeptCurrent(keys.Current))
                return false;
        }

        return true;
    }

    /// <summary>Enters a phase of its steps.</summary>
    internal void EnterPhase(StorePhase phase)
    {
        Debug.Assert(Steps is not null, "there are no steps");
        Debug.Assert(StorePhase == phase switch
        {
            StorePhase.Building => StorePhase.None,
            StorePhase.Built => StorePhase.Building,
            _ => StorePhase.Built,
        }, "a phase follows the one before it");
        StorePhase = phase;
    }

    /// <summary>Drops its steps and kept values; not on the lane's thread, which may rank below others that
    /// wait for the same memory.</summary>
    internal void EndSteps()
    {
        ReleaseKept();
        StorePhase = StorePhase.None;
    }

    /// <summary>Frees the blocks of big arguments that no handler took.</summary>
    internal void ReleaseRegions()
    {
        foreach (BlockRegion region in Regions)
            region.Release(Server.Keyspace.Blocks);
        Regions.Clear();
    }

    /// <summary>Whether an argument lies in a block of its own.</summary>
    internal bool IsInRegion(in Argument argument)
    {
        foreach (BlockRegion region in Regions)
        {
            if (region.Data == argument.Data)
                return true;
        }

        return false;
    }
}
