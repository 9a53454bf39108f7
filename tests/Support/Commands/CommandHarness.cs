using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Cinnabar.Commands;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Keyspace.Expiry;
using Cinnabar.Keyspace.Strings;
using Cinnabar.Platform;
using Cinnabar.Resp;
using Cinnabar.Structures.Hashing;

namespace Cinnabar.Tests.Support.Commands;

/// <summary>
/// Runs handlers of data commands on a small key space without an engine: one execution, one thread, no locks
/// (there is no other thread), time by hand, memory checked. Disposing reports leaks.
/// </summary>
public sealed unsafe class CommandHarness : IDisposable, IKeyspaceObserver
{
    private const ulong RandomSeed = 7;
    private const byte ForeignType = 15;

    private readonly ManualClock _clock = new();
    private readonly ReplyCollector _replies = new();
    private readonly List<string> _events = [];
    private readonly bool _losesReleased;
    private readonly CommandTable _commands = new();

    /// <summary>Makes an empty key space; a checked one finds overruns and leaks, but allocates to do
    /// so.</summary>
    /// <param name="isChecked">Whether it is checked.</param>
    /// <param name="losesReleased">Whether every command that can goes to the slow lane, and all keys and
    /// their memory are removed for good as soon as a command releases its keys.</param>
    public CommandHarness(bool isChecked = true, bool losesReleased = false)
    {
        Keyspace = new Cinnabar.Keyspace.Keyspace(new KeyspaceOptions
        {
            Clock = _clock,
            StripeCount = 4,
            IsChecked = isChecked,
            Seed = new HashSeed(1, 2),
        });
        Keyspace.Observer = this;
        foreach (Stripe stripe in Keyspace.Stripes)
            stripe.SetInterest(StripeInterests.Watches, true);
        var access = new KeyspaceAccess(Keyspace, new KeyspaceStatistics());
        _losesReleased = losesReleased;
        Execution = new Execution(access, RandomSeed)
        {
            Reply = new ReplyWriter(_replies),
            LoopCostNsMax = losesReleased ? -1 : Cinnabar.Commands.Execution.LoopCostNsDefault,
        };
    }

    /// <summary>The key space.</summary>
    public Cinnabar.Keyspace.Keyspace Keyspace { get; }

    /// <summary>The execution in which all handlers run.</summary>
    public Execution Execution { get; }

    /// <summary>How often handlers have released their keys before their end.</summary>
    public int ReleaseCount { get; private set; }

    /// <summary>The selected database.</summary>
    public int Database { get; set; }

    /// <summary>RESP version of the replies.</summary>
    public int Protocol
    {
        get => Execution.Reply.Protocol;
        set => Execution.Reply.Protocol = value;
    }

    /// <summary>How often a handler asked for the slow lane; it was called again then.</summary>
    public int SlowLaneCount { get; private set; }

    /// <summary>The changes that the last command counted.</summary>
    public long ChangeCount { get; private set; }

    /// <summary>The instant, Unix time in milliseconds.</summary>
    public long NowMs => _clock.UnixMicroseconds / 1000;

    /// <summary>Lets time pass.</summary>
    public void Advance(long milliseconds) => _clock.Advance(milliseconds * 1000);

    /// <summary>The events since the last call, as "event key" in order.</summary>
    public string TakeEvents()
    {
        string text = string.Join(", ", _events);
        _events.Clear();
        return text;
    }

    /// <summary>Runs a command given as words between single spaces and returns the reply, byte for
    /// byte.</summary>
    public string Run(string line) => RunWords(line.Split(' '));

    /// <summary>Runs a command given as words, each char a byte, and returns the reply.</summary>
    public string RunWords(params string[] words)
    {
        var arguments = new byte[words.Length][];
        for (int index = 0; index < words.Length; index++)
            arguments[index] = Encoding.Latin1.GetBytes(words[index]);
        return Encoding.Latin1.GetString(RunBytes(arguments));
    }

    /// <summary>Runs a command and returns the reply's bytes.</summary>
    public byte[] RunBytes(params byte[][] words)
    {
        CommandSpec spec = Find(words);
        using (var arguments = new NativeArguments(Keyspace, words))
        {
            Execution.Arguments = arguments.List;
            Execute(spec);
        }

        return _replies.Take(ref Execution.Reply);
    }

    /// <summary>
    /// The managed bytes that a command allocates, run over and over; observers are off and the first runs do
    /// not count.
    /// </summary>
    public long AllocatedBy(string line, int rounds)
    {
        const int warmUpRounds = 100;
        string[] words = line.Split(' ');
        foreach (Stripe stripe in Keyspace.Stripes)
            stripe.SetInterest(StripeInterests.Watches, false);
        byte[][] bytes = Array.ConvertAll(words, Encoding.Latin1.GetBytes);
        CommandSpec spec = Find(bytes);
        using var arguments = new NativeArguments(Keyspace, bytes);
        Execution.Arguments = arguments.List;
        Execution.Reply.Raw("-"u8);
        ReplyMark mark = Execution.Reply.Save();
        long before = 0;
        for (int round = -warmUpRounds; round < rounds; round++)
        {
            if (round == 0)
                before = GC.GetAllocatedBytesForCurrentThread();
            Execution.Keys.Begin(Database, NowMs);
            spec.Call(Execution);
            Execution.Keys.Commit();
            Execution.Reply.Rewind(in mark);
        }

        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        _replies.Take(ref Execution.Reply);
        return allocated;
    }

    /// <summary>Stores a key of another type than string, which no data command makes yet.</summary>
    public void MakeForeign(string key)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(key);
        fixed (byte* data = bytes)
        {
            Execution.Keys.Begin(Database, NowMs);
            var name = new Key(data, bytes.Length, Keyspace.Hash(bytes));
            Execution.Strings.SetRaw(in name, "a"u8, StringStore.NoDeadline);
            EntryView entry = Execution.Keys.Peek(in name);
            ((byte*)entry.Address)[0] |= ForeignType;
        }
    }

    /// <summary>How a key's value is stored, its deadline relative to now, and its bytes; null where it is
    /// missing.</summary>
    public string? Describe(string key)
    {
        byte[] bytes = Encoding.Latin1.GetBytes(key);
        fixed (byte* data = bytes)
        {
            Execution.Keys.Begin(Database, NowMs);
            EntryView entry = Execution.Keys.Peek(new Key(data, bytes.Length, Keyspace.Hash(bytes)));
            if (entry.IsMissing)
                return null;
            long left = entry.DeadlineMs < 0 ? -1 : entry.DeadlineMs - NowMs;
            string deadline = left < 0 ? "" : string.Create(CultureInfo.InvariantCulture, $" {left} ms");
            return $"{entry.Encoding}{deadline}";
        }
    }

    /// <summary>Does all the housekeeping that is due.</summary>
    public void Reap()
    {
        foreach (Stripe stripe in Keyspace.Stripes)
        {
            Execution.Keys.Begin(0, NowMs);
            while (Reaper.ReapSlice(stripe, Execution.Keys) || stripe.DropSlice(1)
                   || Reaper.CompactSlice(stripe))
            {
            }

            Execution.Keys.Commit();
        }
    }

    /// <inheritdoc/>
    void IKeyspaceObserver.DeadlineAdvanced(Stripe stripe, long deadlineMs)
    {
    }

    /// <inheritdoc/>
    void IKeyspaceObserver.Invalidated(
        KeyspaceAccess access, Stripe stripe, ReadOnlySpan<byte> key, KeyEvent keyEvent)
    {
        // No client caches.
    }

    void IKeyspaceObserver.Committed(KeyspaceAccess access)
    {
        // Nothing is collected.
    }

    void IKeyspaceObserver.DatabaseChanging(KeyspaceAccess access, int database, int otherDatabase)
    {
    }

    /// <inheritdoc/>
    void IKeyspaceObserver.Changed(KeyspaceAccess access, Stripe stripe, int database,
        ReadOnlySpan<byte> key, KeyEvent keyEvent) =>
        _events.Add($"{keyEvent} {Encoding.Latin1.GetString(key)}");

    /// <inheritdoc/>
    public void Dispose()
    {
        _replies.Dispose();
        Keyspace.Dispose();
        string[] leaks = Keyspace.Pages.LeakReport();
        if (leaks.Length != 0)
            throw new InvalidOperationException(string.Join('\n', leaks));
    }

    // Only data commands: others want an engine's execution.
    private CommandSpec Find(byte[][] words)
    {
        CommandSpec? spec = _commands.Find(words[0]);
        if (spec is { IsContainer: true } && words.Length > 1)
            spec = spec.FindSubcommand(words[1]);
        bool isData = spec is { HandlerAddress: not 0 }
            && spec.Function.StartsWith("Cinnabar.Commands.", StringComparison.Ordinal);
        return isData ? spec!
            : throw new InvalidOperationException(
                $"{Encoding.Latin1.GetString(words[0])} is no data command");
    }

    private void Execute(CommandSpec spec)
    {
        Execution.Keys.Begin(Database, NowMs);
        Execution.Place = ExecutionPlace.OnLoop;
        ReplyMark mark = Execution.Reply.Save();
#if DEBUG
        long valueCount = Execution.Reply.ValueCount;
#endif
        Outcome outcome = spec.Call(Execution);
        if (outcome.IsOffLoop)
        {
            ReplyMark now = Execution.Reply.Save();
            bool isReplyBegun = now.Cursor != mark.Cursor || now.SegmentIndex != mark.SegmentIndex;
            if (Execution.Keys.ChangeCount != 0 || isReplyBegun)
                throw new InvalidOperationException("a handler changed or replied before it left");
            SlowLaneCount++;
            RunOffLoop(spec, outcome);
        }

#if DEBUG
        if (Execution.Reply.ValueCount != valueCount + 1)
            throw new InvalidOperationException("a reply has other elements than it announced");
#endif
        Execution.ReleaseKept();
        ChangeCount = Execution.Keys.ChangeCount;
        Execution.Keys.Commit();
    }

    // Like an engine's slow lane.
    private void RunOffLoop(CommandSpec spec, Outcome outcome)
    {
        Execution.Place = ExecutionPlace.OffLoop;
        if (outcome.Kind == OutcomeKind.Store)
        {
            StoreSteps steps = Execution.Steps!;
            if (!steps.TryRead(Execution))
                return;
            ReleaseKeys(spec);
            bool isBuilt = steps.TryBuild(Execution);
            Execution.Place = ExecutionPlace.OnLoop;
            if (isBuilt)
                steps.Store(Execution);
            return;
        }

        if (outcome.Kind == OutcomeKind.OffLoopWithoutKeys)
            ReleaseKeys(spec);
        if (spec.Call(Execution).IsOffLoop)
            throw new InvalidOperationException("a handler left its loop twice");
    }

    private void ReleaseKeys(CommandSpec spec)
    {
        var keys = new KeyArguments(spec, Execution.Arguments);
        while (keys.MoveNext())
        {
            if ((keys.Flags & KeySpecFlags.OW) == 0)
                Execution.KeepKey(keys.Current);
        }

        Execution.Place = ExecutionPlace.WithoutKeys;
        ReleaseCount++;
        if (_losesReleased)
            Lose();
    }

    private void Lose()
    {
        Execution.Keys.Flush(-1);
        Keyspace.FreeDetached();
    }
}
