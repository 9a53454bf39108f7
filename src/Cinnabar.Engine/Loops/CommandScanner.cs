// Scanning and prefetching: the first two stages of a turn. Commands are scanned across all ready inputs
// until a batch is full; as each is scanned its key is hashed and the table's bucket is asked for, and before
// the batch executes, the entries are asked for from the tags of these buckets. By the time a command
// executes, its cache misses have been served side by side with those of its neighbours: 1.6 to 3 times the
// speed of one by one (DESIGN.md).
//
// What a scan finds besides a whole command (the input ends, a big argument begins, the protocol is broken)
// is acted upon only when all commands before it have been executed: they may suspend the session, close it,
// or authenticate it.

using System;
using System.Runtime.CompilerServices;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace;
using Cinnabar.Resp;

namespace Cinnabar.Engine.Loops;

/// <summary>Fills batches of commands from a turn's inputs.</summary>
internal sealed unsafe class CommandScanner : IDisposable
{
    /// <summary>The most commands of a batch.</summary>
    public const int BatchCountMax = 64;

    private const int BulkLengthMax = int.MaxValue - (64 * 1024);

    // Addresses are asked for a group at a time, in loops so short that the processor has all of a group's
    // translations and misses under way at once.
    private const int GroupCount = 16;

    // How many commands lie between asking for an entry's further lines and reading them.
    private const int RestDistance = 4;

    private const int NoLength = -1;
    private const int EntryLineCountMin = 2;
    private const int EntryLineCountMax = 6;

    private readonly ServerEngine _engine;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly InputReceiver _inputs;
    private int _entryLineCount = EntryLineCountMin;
    private byte* _lastKey;
    private int _lastKeyLength = NoLength;
    private ulong _lastHash;
    private readonly BatchCommand[] _batch = new BatchCommand[BatchCountMax];
    private readonly ArgumentBuffer _arguments = new(1024);
    private readonly KnownHeads _heads = new();

    /// <summary>Makes a scanner over a loop's inputs.</summary>
    public CommandScanner(ServerEngine engine, InputReceiver inputs)
    {
        _engine = engine;
        _keyspace = engine.Keyspace;
        _inputs = inputs;
    }

    /// <summary>Commands in the batch.</summary>
    public int Count { get; private set; }

    /// <summary>A command of the batch.</summary>
    public ref BatchCommand this[int index] => ref _batch[index];

    /// <summary>The arguments of a command of the batch.</summary>
    public ArgumentList Arguments(in BatchCommand command) =>
        new(_arguments.Items + command.FirstArgument, command.ArgumentCount);

    /// <summary>Empties the batch.</summary>
    public void Clear()
    {
        Count = 0;
        _lastKeyLength = NoLength;
        _arguments.Clear();
    }

    /// <summary>Scans an input into the batch.</summary>
    /// <param name="inputIndex">The input.</param>
    /// <param name="result">Details of what ended the scan.</param>
    /// <returns>
    /// Command: the batch is full or must be executed before the scan goes on; Empty: the input is used up;
    /// otherwise what is to be acted upon now, since no command of this input waits in the batch.
    /// </returns>
    // Not inlined, as BatchRunner.Run.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public ScanOutcome Scan(int inputIndex, ref ScanResult result)
    {
        if (Count == BatchCountMax)
            return ScanOutcome.Command;
        ref TurnInput input = ref _inputs[inputIndex];
        Session session = input.Session;
        byte* data = input.IsPartial ? session.Partial!.Data : input.Data;
        int length = input.IsPartial ? session.Partial!.Length : input.Length;
        var limits = new ScanLimits(
            (int)Math.Min(_engine.Settings.BulkLengthMax, BulkLengthMax),
                (session.Flags & SessionFlags.Unauthenticated) != 0);
        ScanState state = TakeState(ref input);
        bool isAuthenticated = !limits.IsAuthenticationPending;
        // Behind an input in the slab there is always so much that can be read.
        int leftMin = !isAuthenticated ? int.MaxValue : input.IsPartial ? KnownHeads.BytesSeen : 1;
        while (Count < BatchCountMax)
        {
            if (state.IsFresh)
            {
                int left = length - input.Position;
                if (left >= leftMin && _heads.TryScan(
                    data + input.Position, left, _arguments, ref result) is { } spec)
                {
                    input.Position += result.Consumed;
                    input.BatchedCount++;
                    Append(inputIndex, session, spec, in result, input.Position);
                    continue;
                }

                if (left == 0)
                    return ScanOutcome.Empty;
            }

            ScanOutcome outcome = RequestScanner.Scan(
                ref state, data + input.Position, length - input.Position, _arguments, in limits, ref result);
            if (outcome == ScanOutcome.Command)
            {
                ref Argument name = ref _arguments.Items[result.FirstArgument];
                CommandSpec? found = _engine.Commands.Find(name.Span);
                if (found is not null && result.Consumed >= leftMin)
                    _heads.Learn(data + input.Position, in name, result.ArgumentCount, found);
                input.Position += result.Consumed;
                input.BatchedCount++;
                Append(inputIndex, session, found, in result, input.Position);
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

    /// <summary>Learns how large entries are on average, so that as much of them is asked for as will be
    /// read.</summary>
    public void LearnEntrySize()
    {
        long bytes = 0;
        long count = 0;
        foreach (Stripe stripe in _keyspace.Stripes)
        {
            bytes += stripe.Arena.UsedBytes;
            count += stripe.Arena.BlockCount;
        }

        _entryLineCount = count == 0 ? EntryLineCountMin
            : (int)Math.Clamp(((bytes / count) + 63) / 64, EntryLineCountMin, EntryLineCountMax);
    }

    /// <summary>Asks for what the batch's last commands need; the others' has been asked for while it was
    /// filled.</summary>
    public void PrefetchEntries()
    {
        int first = Count & -GroupCount;
        if (first < Count)
            PrefetchBuckets(first, Count);
        for (int index = Math.Max(0, first - GroupCount); index < Count; index++)
            PrefetchEntry(ref _batch[index]);
        for (int index = 0; index < Math.Min(RestDistance, Count); index++)
            PrefetchRest(in _batch[index]);
    }

    /// <summary>Asks for the rest of an entry that will be needed soon, while the command at a position is
    /// executed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PrefetchBehind(int index)
    {
        index += RestDistance;
        if (index < Count)
            PrefetchRest(in _batch[index]);
    }

    /// <inheritdoc/>
    public void Dispose() => _arguments.Dispose();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Append(int inputIndex, Session session, CommandSpec? spec, in ScanResult result, int end)
    {
        // SAFETY: the scanner has just put the arguments at FirstArgument; the buffer does not move here.
        Argument* first = _arguments.Items + result.FirstArgument;
        int index = Count++;
        ref BatchCommand command = ref _batch[index];
        command.Input = inputIndex;
        command.FirstArgument = result.FirstArgument;
        command.ArgumentCount = result.ArgumentCount;
        command.End = end;
        command.Database = -1;
        if (command.Spec != spec)
            command.Spec = spec;
        if (spec is not null && spec.FirstKey > 0 && result.ArgumentCount > spec.FirstKey)
        {
            Argument* key = first + spec.FirstKey;
            ulong hash = HashOf(key);
            key->Hash = hash;
            command.Hash = hash;
            command.Database = session.Database;
        }

        if ((index & (GroupCount - 1)) == GroupCount - 1)
            PrefetchGroup(index + 1);
    }

    /// <summary>The hash of a key, which is often that of the command before.</summary>
    // SAFETY: the last key lies in an input of this batch, which stays where it is; words that are read lie
    // within keys of so many bytes.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong HashOf(Argument* key)
    {
        int length = key->Length;
        const int word = sizeof(ulong);
        // Keys of a kind mostly differ in their last bytes.
        bool isLast = length == _lastKeyLength
            && (length < word || Unsafe.ReadUnaligned<ulong>(key->Data + length - word)
                == Unsafe.ReadUnaligned<ulong>(_lastKey + length - word))
            && key->Span.SequenceEqual(new ReadOnlySpan<byte>(_lastKey, length));
        return isLast ? _lastHash : HashAnew(key);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ulong HashAnew(Argument* key)
    {
        _lastKey = key->Data;
        _lastKeyLength = key->Length;
        return _lastHash = _keyspace.Hash(key->Span);
    }

    private void PrefetchGroup(int end)
    {
        PrefetchBuckets(end - GroupCount, end);
        for (int index = Math.Max(0, end - (2 * GroupCount)); index < end - GroupCount; index++)
            PrefetchEntry(ref _batch[index]);
    }

    private void PrefetchBuckets(int first, int end)
    {
        for (int index = first; index < end; index++)
        {
            ref BatchCommand command = ref _batch[index];
            command.Place = command.Database < 0 ? null
                : _keyspace.Prefetch(command.Hash, command.Database, out command.Version);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void PrefetchEntry(ref BatchCommand command)
    {
        if (command.Place != null)
            command.Place = Keyspace.Keyspace.PrefetchEntry(command.Place, command.Hash);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void PrefetchRest(in BatchCommand command)
    {
        if (command.Place != null)
            Keyspace.Keyspace.PrefetchRest(command.Place, _entryLineCount);
    }

    private ScanState TakeState(ref TurnInput input)
    {
        if (!input.IsPartial || input.Position != 0 || input.Session.Partial is not { } partial)
            return default;
        ScanState state = partial.State;
        partial.State = default;
        partial.Arguments.MoveTailTo(_arguments, state.ArgumentsFound);
        return state;
    }

    /// <summary>Moves a scan's state, and the arguments found so far, to the session's partial
    /// input.</summary>
    private void KeepState(Session session, in ScanState state, ScanOutcome outcome)
    {
        if (outcome == ScanOutcome.ProtocolError)
            return;
        PartialInput partial = _inputs.PartialOf(session);
        partial.State = state;
        _arguments.MoveTailTo(partial.Arguments, state.ArgumentsFound);
    }
}
