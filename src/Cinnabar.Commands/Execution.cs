using Cinnabar.Keyspace.Sets;
using Cinnabar.Keyspace.SortedSets;
using Cinnabar.Keyspace.Strings;
using Cinnabar.Platform;
using Cinnabar.Structures.Blocks;
using Cinnabar.Structures.Hashes;
using Cinnabar.Structures.SortedSets;

namespace Cinnabar.Commands;

/// <summary>
/// One execution of a command: its arguments, its view of the key space at one instant, its reply. The engine
/// has locked what the command's spec declares; a handler reads, writes, declares what it did and replies,
/// and never waits.
/// </summary>
public class Execution
{
    /// <summary>More elements than so many are refused where a count asks for them: names and values of them
    /// must fit a header.</summary>
    public const long ReplyCountMax = int.MaxValue / 2;

    /// <summary>Work above this many nanoseconds (a handler's estimate) leaves the loop.</summary>
    public const long LoopCostNsDefault = 500_000;

    /// <summary>Where the reply goes. A field because the writer is a mutable struct.</summary>
    public ReplyWriter Reply;

    /// <summary>Randomness for replies and samples.</summary>
    public RandomSource Random;

    /// <summary>The command's arguments, its name (or names: CONFIG GET) included.</summary>
    public ArgumentList Arguments;

    private KeptValues? _kept;
    private ArgumentList[] _upcoming = [];
    private int _upcomingCount;

    /// <summary>Makes an execution over a view of the key space.</summary>
    public Execution(KeyspaceAccess keys, ulong randomSeed)
    {
        Keys = keys;
        Strings = new StringStore(keys);
        SortedSets = new SortedSetStore(keys);
        Sets = new SetStore(keys);
        Random = new RandomSource(randomSeed);
        UseAllStripes();
    }

    /// <summary>The keys of the selected database.</summary>
    public KeyspaceAccess Keys { get; }

    /// <summary>What the journal gets from the execution.</summary>
    public Effects Effects => Keys.Effects;

    /// <summary>String values.</summary>
    public StringStore Strings { get; }

    /// <summary>Sorted sets.</summary>
    public SortedSetStore SortedSets { get; }

    /// <summary>Sets.</summary>
    public SetStore Sets { get; }

    /// <summary>The instant of the execution, Unix time in milliseconds.</summary>
    public long NowMs => Keys.NowMs;

    /// <summary>Whether what gets this deadline is gone at once; while importing it stays.</summary>
    public bool IsPast(long deadlineMs) =>
        deadlineMs <= Keys.NowMs && !Keys.Keyspace.KeepsExpired && !Keys.SeesExpired;

    /// <summary>Whether it repeats a recorded command: limits on what clients may do do not hold.</summary>
    public bool IsReplay { get; init; }

    /// <summary>Whether a script has called the command.</summary>
    public bool IsInScript { get; set; }

    /// <summary>The longest string a command may make, in bytes (<c>proto-max-bulk-len</c>).</summary>
    public long StringLengthMax { get; set; } = 512L << 20;

    /// <summary>Where the handler is called.</summary>
    public ExecutionPlace Place { get; set; }

    /// <summary>Whether it has nothing but what was kept of its keys.</summary>
    public bool IsWithoutKeys => Place == ExecutionPlace.WithoutKeys;

    /// <summary>About how many nanoseconds of its work without keys a thread of a low rank may do.</summary>
    public long LowRankCostNs { get; private set; }

    /// <summary>The rest of a command that stores (<see cref="StoreLater"/>).</summary>
    public StoreSteps? Steps { get; private set; }

    /// <summary>What work may cost that stays on the loop, in nanoseconds.</summary>
    public long LoopCostNsMax { get; init; } = LoopCostNsDefault;

    /// <summary>The first stripe of the range that a command which chooses its stripes may look at.</summary>
    public int StripeFirst { get; private set; }

    /// <summary>The end of that range.</summary>
    public int StripeEnd { get; private set; }

    /// <summary>Where a command stands that is called for one stripe after the other.</summary>
    public KeyWalk? Walk { get; set; }

    /// <summary>Number of arguments, the command's name included.</summary>
    public int ArgumentCount => Arguments.Count;

    /// <summary>For a command's lookahead: the arguments of this command and of those that will follow it, of
    /// the same kind and on the same key. What it does has no effect but that their memory is on its
    /// way.</summary>
    public ReadOnlySpan<ArgumentList> Upcoming => _upcoming.AsSpan(0, _upcomingCount);

    /// <summary>The bytes of an argument.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ReadOnlySpan<byte> Argument(int index) => Arguments[index].Span;

    /// <summary>What a lookahead has noted of the member or field that an argument names.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public MemberHint HintOf(int index) => Keys.Foresight.HintOf(in Arguments[index]);

    /// <summary>The same of a member of a sorted set, whose place in the order is wanted, too.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ScoreHint ScoreHintOf(int index) => Keys.Foresight.ScoreHintOf(in Arguments[index]);

    /// <summary>An argument that the command's spec declares to be a key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Key Key(int index)
    {
        Debug.Assert(Arguments[index].Hash == Keys.Keyspace.Hash(Argument(index)), "its hash is not known");
        return new(in Arguments[index]);
    }

    /// <summary>An argument that only the handler knows to be a key; its stripe is locked.</summary>
    public Key HashedKey(int index)
    {
        ref Argument argument = ref Arguments[index];
        argument.Hash = Keys.Keyspace.Hash(argument.Span);
        return new Key(in argument);
    }

    /// <summary>Whether an argument is this word, in any case; the word is given in lower case.</summary>
    public bool Is(int index, ReadOnlySpan<byte> word) => Ascii.EqualsIgnoreCase(Argument(index), word);

    /// <summary>The estimate for a count that a client gave: it does not overflow.</summary>
    public static long EstimateNs(long count, long nsEach) =>
        Math.Min(count, long.MaxValue / nsEach) * nsEach;

    /// <summary>Whether the work ahead costs more than a loop may spend: then the handler returns
    /// <see cref="Outcome.OffLoop"/>. To be asked before the first change and the first byte of the
    /// reply.</summary>
    /// <param name="costNs">Estimate of the work ahead in nanoseconds.</param>
    public bool MustLeaveLoop(long costNs)
    {
        Debug.Assert(costNs >= 0, "an estimate has overflowed");
        return Place == ExecutionPlace.OnLoop && costNs > LoopCostNsMax;
    }

    /// <summary>As <see cref="MustLeaveLoop"/>, for a command that needs no keys while it works: one that
    /// only reads and finds its values by the methods that may find kept ones (<see cref="TryFindKept"/>)
    /// returns <see cref="Outcome.OffLoopWithoutKeys"/>, one that stores what <see cref="StoreLater"/>
    /// does.</summary>
    /// <param name="costNs">Estimate of the work ahead in nanoseconds.</param>
    /// <param name="buildsTrees">Whether the work takes memory of trees: its locks are no place for a thread
    /// of a lower rank.</param>
    public bool MustLeaveKeys(long costNs, bool buildsTrees = false)
    {
        Debug.Assert(costNs >= 0, "an estimate has overflowed");
        if (Place > ExecutionPlace.OffLoop || costNs <= LoopCostNsMax)
            return false;
        LowRankCostNs = buildsTrees ? 0 : costNs;
        return true;
    }

    /// <summary>Hands the rest of a command over as steps; to be returned by its handler.</summary>
    public Outcome StoreLater(StoreSteps steps)
    {
        Debug.Assert(Steps is null && Place <= ExecutionPlace.OffLoop, "a command has its steps once");
        Steps = steps;
        LowRankCostNs = 0;
        return Outcome.Store;
    }

    /// <summary>Keeps what the key that an argument names has at this moment: off the loop the command reads
    /// that. The key's stripe is locked.</summary>
    public void KeepKey(int index)
    {
        Debug.Assert(!IsWithoutKeys, "a value is kept while its key is held");
        _kept ??= new KeptValues(Keys.Keyspace);
        _kept.Keep(index, Keys.Peek(Key(index)));
    }

    /// <summary>Whether a key still has what was kept of it; its stripe is locked.</summary>
    public bool IsKeptCurrent(int index) => _kept!.IsCurrent(index, Keys.Peek(Key(index)));

    /// <summary>Gives up what was kept, and the steps.</summary>
    public void ReleaseKept()
    {
        Steps?.Drop();
        Steps = null;
        ReleaseKeptValues();
    }

    /// <summary>Gives up what was kept.</summary>
    public void ReleaseKeptValues() => _kept?.Release();

    /// <summary>What the key that an argument names has, without a trace: what was kept of it where the
    /// command runs without its keys.</summary>
    public EntryView Kept(int index) => IsWithoutKeys ? _kept!.At(index) : Keys.Peek(Key(index));

    /// <summary>Chooses the stripes that the command may look at.</summary>
    public void UseStripes(int first, int end) => (StripeFirst, StripeEnd) = (first, end);

    /// <summary>Lets the command look at all stripes.</summary>
    public void UseAllStripes() => UseStripes(0, Keys.Keyspace.Stripes.Length);

    /// <summary>Ends FLUSHALL or FLUSHDB, whose keys are gone; to be returned.</summary>
    /// <param name="isAll">Whether every database was flushed.</param>
    /// <param name="isSync">Whether the client waits until the memory is free.</param>
    public virtual Outcome EndFlush(bool isAll, bool isSync)
    {
        if (isSync)
            Keys.Keyspace.FreeDetached();
        Reply.Ok();
        return Outcome.Done;
    }

    /// <summary>Whether FLUSHALL and FLUSHDB without a word are ASYNC (lazyfree-lazy-user-flush).</summary>
    public virtual bool IsFlushLazy => false;

    /// <summary>Whether a blocking command may wait; not in a transaction or a script.</summary>
    public virtual bool CanWait => false;

    /// <summary>
    /// Lets the client wait until one of its keys has what the command found missing. To be returned at the
    /// end, instead of a reply. The handler is called again, with the same arguments, when a key is ready:
    /// it may find nothing once more and wait on, keeping its place and its deadline. When the time has come
    /// the reply is a null array, as it is at once where no command may wait (<see cref="CanWait"/>).
    /// </summary>
    public virtual Outcome WaitForKeys(in KeyWait wait)
    {
        Reply.NullArray();
        return Outcome.Done;
    }

    /// <summary>
    /// Replaces an argument of a command that is about to wait (<see cref="WaitForKeys"/>) with what it means
    /// at this time: the last ID of a stream. Does nothing where no command may wait.
    /// </summary>
    public virtual void ReplaceWaitingArgument(int index, ReadOnlySpan<byte> value)
    {
        // A command that does not wait is not called again.
    }

    /// <summary>Reads an argument as a signed 64-bit integer, or replies Redis's error.</summary>
    public bool TryInteger(int index, out long value)
    {
        if (RedisNumber.TryParseInt64(Argument(index), out value))
            return true;
        Reply.Error(Errors.NotInteger);
        return false;
    }

    /// <summary>Shows a lookahead the commands to come.</summary>
    public void ShowUpcoming(ArgumentList[] commands, int count) =>
        (_upcoming, _upcomingCount) = (commands, count);

    /// <summary>
    /// Looks up a string for a command that reads; a key of another type is replied to with WRONGTYPE.
    /// </summary>
    /// <param name="index">The argument that names the key.</param>
    /// <param name="entry">The entry, which may be missing.</param>
    /// <returns>False where the error was replied.</returns>
    public bool TryFindString(int index, out EntryView entry)
    {
        Debug.Assert(!IsWithoutKeys, "its keys are released: it finds what was kept of them");
        entry = Keys.Find(Key(index));
        return entry.IsMissing || IsOfType(entry.Type, KeyType.String);
    }

    /// <summary>As <see cref="TryFindString"/>, for a command that may run without its keys.</summary>
    public bool TryFindStringKept(int index, out EntryView entry) =>
        TryFindKept(index, KeyType.String, out entry);

    /// <summary>As <see cref="TryFindString"/>, for a command that writes.</summary>
    public bool TryFindStringForWrite(int index, out EntryView entry)
    {
        Debug.Assert(!IsWithoutKeys, "its keys are released");
        entry = Keys.FindForWrite(Key(index));
        return entry.IsMissing || IsOfType(entry.Type, KeyType.String);
    }

    /// <summary>
    /// Looks up a value of a type for a command that reads; a key of another type is replied to with
    /// WRONGTYPE.
    /// </summary>
    /// <param name="index">The argument that names the key.</param>
    /// <param name="type">The type.</param>
    /// <param name="entry">The entry, which may be missing.</param>
    /// <returns>False where the error was replied.</returns>
    public bool TryFind(int index, KeyType type, out EntryView entry)
    {
        Debug.Assert(!IsWithoutKeys, "its keys are released: it finds what was kept of them");
        entry = Keys.Find(Key(index));
        return entry.IsMissing || IsOfType(entry.Type, type);
    }

    /// <summary>As <see cref="TryFind"/>, for a command that may run without its keys.</summary>
    public bool TryFindKept(int index, KeyType type, out EntryView entry)
    {
        entry = FindKept(index);
        return entry.IsMissing || IsOfType(entry.Type, type);
    }

    /// <summary>Looks up a key's value for a command that reads and may run without its keys.</summary>
    public EntryView FindKept(int index)
    {
        if (!IsWithoutKeys)
            return Keys.Find(Key(index));
        EntryView entry = Kept(index);
        Keys.NoteLookup(Key(index), !entry.IsMissing);
        return entry;
    }

    /// <summary>As <see cref="TryFindKept"/>, for a sorted set, which is empty where the key is
    /// missing.</summary>
    public bool TryFindSortedSet(int index, out SortedSetView view)
    {
        bool isFound = TryFindKept(index, KeyType.SortedSet, out EntryView entry);
        view = isFound ? SortedSets.View(entry) : default;
        return isFound;
    }

    /// <summary>As <see cref="TryFind"/>, for a command that will change the value.</summary>
    public bool TryFindSlot(int index, KeyType type, out ValueSlot slot)
    {
        Debug.Assert(!IsWithoutKeys, "its keys are released");
        slot = Keys.FindSlot(Key(index));
        return slot.IsMissing || IsOfType(slot.Type, type);
    }

    /// <summary>
    /// Takes over the block that a big argument was received into, so that a value of 512 MB is copied once.
    /// </summary>
    /// <returns>False where the argument lies in the input: copy it.</returns>
    public virtual bool TryTakeBlocks(int index, out BlockString value)
    {
        value = default;
        return false;
    }

    /// <summary>Replies bytes of a block tree as one bulk string; an engine sends them without a
    /// copy.</summary>
    public virtual void ReplyBlocks(EntryView entry, long offset, long length)
    {
        Debug.Assert(offset >= 0 && length >= 0 && offset + length <= entry.StringLength, "behind the value");
        StringView text = entry.String;
        Reply.BulkHeader((int)length);
        for (long end = offset + length; offset < end;)
        {
            ReadOnlySpan<byte> piece = text.SpanAt(offset);
            piece = piece[..(int)Math.Min(piece.Length, end - offset)];
            Reply.Raw(piece);
            offset += piece.Length;
        }

        Reply.EndBulk();
    }

    /// <summary>Replies a string value as a bulk string, or null where the key is missing.</summary>
    public void ReplyString(EntryView entry)
    {
        if (entry.IsMissing)
        {
            Reply.Null();
            return;
        }

        Debug.Assert(entry.Type == KeyType.String, "the value is no string");
        switch (entry.Encoding)
        {
            case KeyEncoding.Int:
                Reply.BulkInteger(entry.Integer);
                break;
            case KeyEncoding.Blocks:
                ReplyBlocks(entry, 0, entry.String.Length);
                break;
            default:
                Reply.Bulk(entry.InlineBytes);
                break;
        }
    }

    private bool IsOfType(KeyType type, KeyType wanted)
    {
        if (type == wanted)
            return true;
        Reply.Error(Errors.WrongType);
        return false;
    }
}
