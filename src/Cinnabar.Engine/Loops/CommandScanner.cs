// Scanning and prefetching: the first two stages of a turn. Commands are scanned across all ready inputs
// until a batch is full. Then its keys are hashed, and the bucket of each is prefetched; then, from the tags
// of these buckets, the entries. When a command executes, its cache misses have already overlapped with those
// of its neighbours: 1.6 to 3 times as fast as one by one (docs/adr/0003).
//
// Other results of a scan than a complete command (the input ends, a big argument begins, the protocol is
// broken) take effect only after all commands before them have been executed: these may suspend the session,
// close it, or authenticate it.

using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Loops;

/// <summary>Fills batches of commands from a turn's inputs.</summary>
internal sealed unsafe class CommandScanner : IDisposable
{
    /// <summary>The most commands of a batch.</summary>
    public const int BatchCountMax = 64;

    private const int BulkLengthMax = int.MaxValue - (64 * 1024);

    // 64 commands of 256 arguments; the array of a larger batch is freed after it.
    private const int KeptArgumentCountMax = 16 * 1024;

    private readonly Settings _settings;
    private readonly CommandTable _commands;
    private readonly InputReceiver _inputs;
    private readonly BatchCommand[] _batch = new BatchCommand[BatchCountMax];
    private readonly ArgumentBuffer _arguments = new(KeptArgumentCountMax);
    private readonly KnownHeads _heads = new();
    private readonly BatchKeyHashing _hashing;
    private readonly BatchPrefetch _prefetch;

    /// <summary>Makes a scanner over a loop's inputs.</summary>
    public CommandScanner(ILoopServer server, InputReceiver inputs)
    {
        _settings = server.Settings;
        _commands = server.Commands;
        _inputs = inputs;
        _hashing = new BatchKeyHashing(server.Keyspace);
        _prefetch = new BatchPrefetch(server.Keyspace);
    }

    /// <summary>Commands in the batch.</summary>
    public int Count { get; private set; }

    /// <summary>Bytes of the array of the batch's arguments.</summary>
    public long MemoryUsage => _arguments.MemoryUsage;

    public ref BatchCommand this[int index] => ref _batch[index];

    public ArgumentList Arguments(in BatchCommand command) =>
        new(_arguments.Items + command.FirstArgument, command.ArgumentCount);

    /// <summary>Empties the batch.</summary>
    public void Clear()
    {
        Count = 0;
        _arguments.Clear();
    }

    /// <summary>Scans an input into the batch.</summary>
    /// <param name="inputIndex">The input.</param>
    /// <param name="result">Details of what ended the scan.</param>
    /// <returns>
    /// Command: the batch is full or must be executed before the scan goes on. Empty: the input is used up.
    /// Otherwise a result that takes effect now, since no command of this input waits in the batch.
    /// </returns>
    // Not inlined, as BatchRunner.Run.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public ScanOutcome Scan(int inputIndex, ref ScanResult result)
    {
        if (Count == BatchCountMax)
            return ScanOutcome.Command;
        ref TurnInput input = ref _inputs[inputIndex];
        Debug.Assert(!input.IsDone, "an input that is done is not scanned");
        Session session = input.Session;
        byte* data = input.IsPartial ? session.Partial!.Data : input.Data;
        int length = input.IsPartial ? session.Partial!.Length : input.Length;
        var limits = new ScanLimits(
            (int)Math.Min(_settings.BulkLengthMax, BulkLengthMax),
                (session.Flags & SessionFlags.Unauthenticated) != 0 && _settings.IsPasswordRequired);
        ScanState state = default;
        if (input.IsPartial && input.Position == 0)
        {
            ScanOutcome outcome = ResumeHalf(inputIndex, ref input, in limits, ref state, ref result);
            if (outcome != ScanOutcome.Command)
                return outcome;
        }

        bool isAuthenticated = !limits.IsAuthenticationPending;
        // After an input in the slab this many bytes can always be read.
        int leftMin = !isAuthenticated ? int.MaxValue : input.IsPartial ? KnownHeads.BytesSeen : 1;
        while (Count < BatchCountMax)
        {
            if (state.IsFresh)
            {
                ScanKnown(inputIndex, ref input, data, length, leftMin);
                if (Count == BatchCountMax)
                    return ScanOutcome.Command;
                if (input.Position == length)
                    return ScanOutcome.Empty;
            }

            ScanOutcome outcome = RequestScanner.Scan(
                ref state, data + input.Position, length - input.Position, _arguments, in limits, ref result);
            if (outcome == ScanOutcome.Command)
            {
                ref Argument name = ref _arguments.Items[result.FirstArgument];
                CommandSpec? found = _commands.Find(name.Span);
                if (found is not null && result.Consumed >= leftMin)
                    _heads.Learn(data + input.Position, in name, result.ArgumentCount, found);
                input.Position += result.Consumed;
                input.BatchedCount++;
                Append(inputIndex, session, found, result.FirstArgument, input.Position);
            }
            else if (outcome == ScanOutcome.Empty)
            {
                input.Position += result.Consumed;
            }
            else if (input.BatchedCount > 0)
            {
                _arguments.Count -= state.ArgumentsFound;
                return ScanOutcome.Command;
            }
            else
            {
                KeepState(session, in state, outcome);
                return outcome;
            }
        }

        return ScanOutcome.Command;
    }

    /// <summary>Learns how large entries are on average, to prefetch as much of an entry as is
    /// read.</summary>
    public void LearnEntrySize() => _prefetch.LearnEntrySize();

    /// <summary>Hashes the keys of the batch's commands, and prefetches the memory that these will look
    /// up.</summary>
    /// <returns>Number of entries.</returns>
    // SAFETY: keys lie in inputs, which stay where they are until the batch has been executed.
    public int PrefetchEntries()
    {
        _hashing.Run(_batch.AsSpan(0, Count), _arguments.Items);
        return _prefetch.Run(_batch.AsSpan(0, Count), _arguments.Items);
    }

    /// <summary>Prefetches the rest of an entry that will be needed soon, while the command at a position is
    /// executed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PrefetchBehind(int index)
    {
        index += BatchPrefetch.RestDistance;
        if (index < Count)
            _prefetch.Rest(in _batch[index]);
    }

    public void Dispose() => _arguments.Dispose();

    /// <summary>Scans the commands at an input's position whose heads are known, up to the first one that is
    /// not.</summary>
    // Not inlined: alone it is small enough for the processor's registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ScanKnown(int inputIndex, ref TurnInput input, byte* data, int length, int leftMin)
    {
        Session session = input.Session;
        ArgumentBuffer arguments = _arguments;
        int position = input.Position;
        int countBefore = Count;
        while (Count < BatchCountMax && length - position >= leftMin)
        {
            int first = arguments.Count;
            CommandSpec? spec = _heads.TryScan(
                data + position, length - position, arguments, out int consumed);
            if (spec is null)
                break;
            position += consumed;
            Append(inputIndex, session, spec, first, position);
        }

        input.Position = position;
        input.BatchedCount += Count - countBefore;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Append(int inputIndex, Session session, CommandSpec? spec, int firstArgument, int end)
    {
        int argumentCount = _arguments.Count - firstArgument;
        Debug.Assert(argumentCount > 0 && Count < BatchCountMax, "a command has a name and a free place");
        ref BatchCommand command = ref _batch[Count++];
        command.Input = inputIndex;
        command.FirstArgument = firstArgument;
        command.ArgumentCount = argumentCount;
        command.End = end;
        command.Database = -1;
        command.Place = null;
        if (command.Spec != spec)
            command.Spec = spec;
        if (spec is not null && spec.FirstKey > 0 && argumentCount > spec.FirstKey)
        {
            command.Key = firstArgument + spec.FirstKey;
            command.Database = session.Database;
        }
    }

    /// <summary>Continues the half command at the beginning of a session's waiting input.</summary>
    /// <param name="inputIndex">The input.</param>
    /// <param name="input">The same.</param>
    /// <param name="limits">What the session may send.</param>
    /// <param name="state">Receives the state of a half command without arguments: it is scanned into the
    /// batch's buffer.</param>
    /// <param name="result">Details of what ended the scan.</param>
    /// <returns>Command: the scan goes on at the input's position, if the batch has room; otherwise as
    /// <see cref="Scan"/>.</returns>
    // The arguments of a half command stay in its session's buffer until it is complete.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ScanOutcome ResumeHalf(int inputIndex, ref TurnInput input, in ScanLimits limits,
        ref ScanState state, ref ScanResult result)
    {
        Session session = input.Session;
        PartialInput partial = session.Partial!;
        Debug.Assert(partial.Arguments.Count == partial.State.ArgumentsFound,
            "a waiting input holds the arguments of its half command");
        if (partial.State.ArgumentsFound == 0)
        {
            (state, partial.State) = (partial.State, default);
            return ScanOutcome.Command;
        }

        Debug.Assert(input.BatchedCount == 0, "a half command is the first of its input");
        ScanOutcome outcome = RequestScanner.Scan(ref partial.State, partial.Data, partial.Length,
            partial.Arguments, in limits, ref result);
        partial.Count();
        if (outcome != ScanOutcome.Command)
            return outcome;
        int firstArgument = _arguments.Count;
        _arguments.TakeFrom(partial.Arguments);
        input.Position = result.Consumed;
        input.BatchedCount++;
        Append(inputIndex, session, _commands.Find(_arguments.Items[firstArgument].Span),
            firstArgument, input.Position);
        return ScanOutcome.Command;
    }

    /// <summary>Moves a scan's state, and the arguments found so far, to the session's partial
    /// input.</summary>
    private void KeepState(Session session, in ScanState state, ScanOutcome outcome)
    {
        if (outcome == ScanOutcome.ProtocolError)
            return;
        PartialInput partial = _inputs.PartialOf(session);
        Debug.Assert(partial.Arguments.Count == 0, "a session has one half command");
        partial.State = state;
        _arguments.MoveTailTo(partial.Arguments, state.ArgumentsFound);
        partial.Count();
    }
}
