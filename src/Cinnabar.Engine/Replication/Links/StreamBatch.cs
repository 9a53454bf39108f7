// The commands at the head of a master's stream that are applied together: scanned, hashed, and prefetched as
// a loop does it with its clients' commands (Loops/CommandScanner), under one union of stripes.
//
//   held bytes:  SET a 1 | DEL b c | SELECT 3 | INCR d | MULTI | ...  | SET e (half)
//                '------------ the batch -------------'  '- a unit that is applied alone
//
// A batch takes commands of constant cost whose arguments name all keys that they touch, and SELECT and PING
// between them. It ends before everything else (transactions, scripts, long commands, FLUSHALL, PUBLISH,
// REPLCONF, what is not whole yet), and before it could hold its stripes for long: at so many commands or
// bytes as its executors manage, and at a unit of more than UnitBytesMax.

using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Generated;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Replication.Links;

/// <summary>Commands of a stream that are applied under one union of stripes. One thread at a time.</summary>
internal sealed unsafe class StreamBatch : IDisposable
{
    /// <summary>The most commands that one thread executes at once.</summary>
    public const int CountMax = 128;

    /// <summary>The most that several threads execute at once.</summary>
    public const int SharedCountMax = 1024;

    /// <summary>Bytes of a command that is applied alone.</summary>
    public const int UnitBytesMax = 16 << 10;

    private const int BytesMax = 64 << 10;
    private const int SharedBytesMax = 256 << 10;
    private const int KeptArgumentCountMax = 16 * 1024;
    private const int LearnedBatchCount = 4096;

    private readonly CommandTable _commandNames;
    private readonly Keyspace.Keyspace _keyspace;
    private readonly BatchCommand[] _commands = new BatchCommand[SharedCountMax];
    private readonly int[] _databases = new int[SharedCountMax];
    private readonly ArgumentBuffer _arguments = new(KeptArgumentCountMax);
    private readonly KnownHeads _heads = new();
    private readonly BatchKeyHashing _hashing;
    private readonly BatchPrefetch _prefetch;
    private readonly bool[] _isTaken = new bool[CommandTable.IdCount];
    private int _batchCount;
    private StripeSet _stripes;

    /// <summary>An empty batch.</summary>
    public StreamBatch(IReplicaServer server)
    {
        (_commandNames, _keyspace) = (server.Commands, server.Keyspace);
        _hashing = new BatchKeyHashing(_keyspace);
        _prefetch = new BatchPrefetch(_keyspace);
        foreach (CommandSpec spec in CommandCatalog.Specs[1..])
            _isTaken[(int)spec.Id] = IsShort(spec);
    }

    /// <summary>The commands.</summary>
    public Span<BatchCommand> Commands => _commands.AsSpan(0, Count);

    /// <summary>How many.</summary>
    public int Count { get; private set; }

    /// <summary>The stripes of their keys.</summary>
    public ref readonly StripeSet Stripes => ref _stripes;

    /// <summary>A command's arguments.</summary>
    public ArgumentList Arguments(in BatchCommand command) =>
        new(_arguments.Items + command.FirstArgument, command.ArgumentCount);

    /// <summary>The hash of a command's first key.</summary>
    public ulong HashOf(in BatchCommand command) => _arguments.Items[command.Key].Hash;

    /// <summary>Bytes of the first commands.</summary>
    public int LengthOf(int count) => _commands[count - 1].End;

    /// <summary>The database that is selected behind the first commands.</summary>
    public int DatabaseBehind(int count) => _databases[count - 1];

    /// <summary>Takes the commands at the head of a stream, hashes their keys and finds their
    /// stripes.</summary>
    /// <param name="data">The first byte.</param>
    /// <param name="length">How many there are.</param>
    /// <param name="database">The database that is selected.</param>
    /// <param name="countMax">The most commands; above <see cref="CountMax"/> for several threads.</param>
    // SAFETY: keys lie in the bytes, which stay where they are until the batch has been executed.
    public void Fill(byte* data, long length, int database, int countMax)
    {
        Debug.Assert(countMax is > 0 and <= SharedCountMax, "there is room for as many");
        Clear();
        int end = (int)Math.Min(length, countMax > CountMax ? SharedBytesMax : BytesMax);
        for (int position = 0; Count < countMax && position < end;)
        {
            int first = _arguments.Count;
            int consumed = 0;
            CommandSpec? spec = length - position < KnownHeads.BytesSeen ? null
                : _heads.TryScan(data + position, end - position, _arguments, out consumed);
            spec ??= Scan(data + position, end - position, length - position, out consumed);
            if (spec is null || consumed > UnitBytesMax || !TryAppend(spec, first, ref database))
            {
                _arguments.Count = first;
                break;
            }

            position += consumed;
            _databases[Count] = database;
            _commands[Count++].End = position;
        }

        _hashing.Run(Commands, _arguments.Items);
        AddStripes();
    }

    /// <summary>Forgets the commands.</summary>
    public void Clear()
    {
        Count = 0;
        _arguments.Clear();
        _stripes = default;
    }

    /// <summary>The number of commands before the first one that changes a key for which clients wait: that
    /// one needs stripes to serve them. The batch's stripes are held.</summary>
    public int CountBeforeAwaited(KeyWaits waits)
    {
        if (waits.IsEmpty)
            return Count;
        StripeSet needed = default;
        for (int index = 0; index < Count; index++)
        {
            if (_commands[index].Database < 0)
                continue;
            var keys = new KeyArguments(_commands[index].Spec!, Arguments(in _commands[index]));
            while (keys.MoveNext())
            {
                if (waits.AddNeeds(Arguments(in _commands[index])[keys.Current].Hash, ref needed))
                    return index;
            }
        }

        return Count;
    }

    /// <summary>Prefetches the memory that commands of the batch will look up, whose stripes are
    /// held.</summary>
    public void Prefetch(Span<BatchCommand> commands) => _prefetch.Run(commands, _arguments.Items);

    /// <summary>Prefetches the rest of a command's entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void PrefetchRest(in BatchCommand command) => _prefetch.Rest(in command);

    /// <inheritdoc/>
    public void Dispose() => _arguments.Dispose();

    /// <summary>Reads the argument of a SELECT.</summary>
    /// <returns>False where there is no such database.</returns>
    internal static bool TryParseDatabase(
        Keyspace.Keyspace keyspace, ArgumentList arguments, out int database)
    {
        bool isNumber = RedisNumber.TryParseInt64(arguments[1].Span, out long number)
            && (ulong)number < (ulong)keyspace.DatabaseCount;
        database = isNumber ? (int)number : 0;
        return isNumber;
    }

    private static bool IsShort(CommandSpec spec) => spec.Id is CommandId.Select or CommandId.Ping
        || (spec.IsPlain && spec.IsConstantCost && spec.Lock == LockScope.Keys && spec.LockAllIfAddress == 0
            && spec.FirstKey > 0 && Math.Abs(spec.Arity) > spec.FirstKey
            && spec.IsWriting && !spec.RunsScript && CommandReplay.IsOfData(spec)
            && !spec.Has(CommandFlags.Blocking | CommandFlags.MovableKeys));

    private CommandSpec? Scan(byte* data, int length, long readable, out int consumed)
    {
        ScanState state = default;
        ScanResult result = default;
        var limits = new ScanLimits(bulkBytesMax: int.MaxValue, bigArgumentBytes: int.MaxValue);
        ScanOutcome outcome = RequestScanner.Scan(ref state, data, length, _arguments, in limits, ref result);
        consumed = result.Consumed;
        if (outcome != ScanOutcome.Command)
            return null;
        var arguments = new ArgumentList(_arguments.Items + result.FirstArgument, result.ArgumentCount);
        CommandSpec? spec = _commandNames.FindRecorded(arguments);
        if (spec is null || !_isTaken[(int)spec.Id] || !spec.AcceptsCount(arguments.Count))
            return null;
        // A head has no subcommand.
        if (readable >= KnownHeads.BytesSeen && spec.Parent is null)
            _heads.Learn(data, in arguments[0], arguments.Count, spec);
        return spec;
    }

    private bool TryAppend(CommandSpec spec, int firstArgument, ref int database)
    {
        ref BatchCommand command = ref _commands[Count];
        command.FirstArgument = firstArgument;
        command.ArgumentCount = _arguments.Count - firstArgument;
        command.Place = null;
        if (command.Spec != spec)
            command.Spec = spec;
        command.Key = firstArgument + spec.FirstKey;
        command.Database = spec.FirstKey > 0 ? database : -1;
        return spec.Id != CommandId.Select
            || TryParseDatabase(_keyspace, Arguments(in command), out database);
    }

    private void AddStripes()
    {
        ulong hash = 0;
        foreach (ref BatchCommand command in Commands)
        {
            if (command.Database < 0)
                continue;
            ref Argument key = ref _arguments.Items[command.Key];
            if (command.IsRepeat)
            {
                key.Hash = hash;
            }
            else
            {
                hash = key.Hash;
                _stripes.Add(_keyspace.StripeIndex(hash));
            }

            if (!command.Spec!.IsSingleKey)
                AddKeys(in command);
        }

        if (++_batchCount % LearnedBatchCount == 0)
            _prefetch.LearnEntrySize();
    }

    private void AddKeys(in BatchCommand command)
    {
        ArgumentList arguments = Arguments(in command);
        var keys = new KeyArguments(command.Spec!, arguments);
        while (keys.MoveNext())
        {
            ref Argument key = ref arguments[keys.Current];
            key.Hash = _keyspace.Hash(key.Span);
            _stripes.Add(_keyspace.StripeIndex(key.Hash));
        }
    }
}
