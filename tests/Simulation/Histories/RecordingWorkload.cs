using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>Makes one client's random commands and transactions on a few shared keys, and records their
/// replies. Derived classes choose the commands.</summary>
internal abstract class RecordingWorkload : IRecordingWorkload
{
    private readonly int _client;
    private readonly string _prefix;
    private readonly Func<long> _now;
    private readonly List<Operation> _operations = [];
    private RandomSource _random;

    /// <summary>Makes a workload.</summary>
    /// <param name="client">Number of the client in the history.</param>
    /// <param name="prefix">The prefix of its keys' names; ends with a colon.</param>
    /// <param name="keyCount">Number of keys.</param>
    /// <param name="seed">The seed of the operations.</param>
    /// <param name="now">Gives a moment later than any before.</param>
    protected RecordingWorkload(int client, string prefix, int keyCount, ulong seed, Func<long> now)
    {
        _client = client;
        _prefix = prefix;
        KeyCount = keyCount;
        _now = now;
        _random = new RandomSource(seed);
    }

    /// <summary>The longest time that it waits, in milliseconds.</summary>
    public int TimeoutMsMax { get; init; } = 30;

    /// <inheritdoc/>
    public IReadOnlyList<Operation> Operations => _operations;

    /// <summary>How many keys there are.</summary>
    protected int KeyCount { get; }

    /// <summary>The base of values that were never written before.</summary>
    protected long ValueBase => 1_000_000L * (_client + 1);

    /// <inheritdoc/>
    public virtual Request Next() => Below(6) == 0 ? Transaction() : Send(RandomCall());

    /// <inheritdoc/>
    public bool TryPush(RespValue reply) => false;

    /// <inheritdoc/>
    public void Disconnect()
    {
    }

    /// <summary>A command.</summary>
    protected abstract Call RandomCall();

    /// <summary>The words of a command.</summary>
    /// <param name="call">The command.</param>
    /// <param name="keys">The names of its keys.</param>
    /// <param name="timeout">How long it waits, if it does.</param>
    protected abstract string[] WordsOf(Call call, string[] keys, string timeout);

    /// <summary>The numbers that a reply to a command stands for.</summary>
    protected abstract long[] Numbers(Call call, RespValue reply);

    /// <summary>Whether it changes something.</summary>
    protected abstract bool IsWrite(Call call);

    /// <summary>Whether it may wait.</summary>
    protected virtual bool MayWait(Call call) => false;

    /// <summary>The numbers that a reply to EXEC stands for; null: nothing was executed.</summary>
    protected virtual long[]? ExecNumbers(Call[] calls, RespValue reply) =>
        [.. calls.Zip(reply.Items).SelectMany(pair => Numbers(pair.First, pair.Second))];

    /// <summary>A random number below another.</summary>
    protected int Below(int end) => (int)_random.NextBelow((ulong)end);

    /// <summary>A random key.</summary>
    protected int Key() => Below(KeyCount);

    /// <summary>The names of keys.</summary>
    protected string[] NamesOf(int[] keys) => [.. keys.Select(key => $"{_prefix}{key}")];

    /// <summary>The number of a key, by its name; false: it is no key.</summary>
    protected bool IsKey(string text, out long key)
    {
        bool isKey = text.StartsWith(_prefix, StringComparison.Ordinal);
        key = isKey ? Number(text[_prefix.Length..]) : 0;
        return isKey;
    }

    /// <summary>The number that a text is.</summary>
    protected static long Number(string text) =>
        long.Parse(text, CultureInfo.InvariantCulture);

    /// <summary>Records a command, and what will come of it.</summary>
    protected Request Send(Call call)
    {
        Operation operation = Record([call], isTransaction: false);
        return new Request(Encode(call), 1, replies => Note(operation, Numbers(call, replies[0])))
        {
            IsWrite = IsWrite(call),
            MayWait = MayWait(call),
        };
    }

    /// <summary>Records one to three random commands in MULTI and EXEC, and what will come of them.</summary>
    protected Request Transaction()
    {
        var calls = new Call[1 + Below(3)];
        for (int index = 0; index < calls.Length; index++)
            calls[index] = RandomCall();
        Operation operation = Record(calls, isTransaction: true);
        byte[] bytes =
            [.. RespClient.Encode(["MULTI"]), .. calls.SelectMany(Encode), .. RespClient.Encode(["EXEC"])];
        return new Request(bytes, calls.Length + 2, replies =>
        {
            if (replies[0].Text != "OK"
                || replies.Skip(1).SkipLast(1).Any(static one => one.Text != "QUEUED"))
                throw new InvalidDataException($"A transaction got {string.Join(", ", replies)}");
            Note(operation, ExecNumbers(calls, replies[^1]));
        })
        {
            IsWrite = calls.Any(IsWrite),
        };
    }

    /// <summary>Begins an operation now.</summary>
    protected Operation Record(Call[] calls, bool isTransaction)
    {
        var operation = new Operation
        {
            Client = _client, InvokedAt = _now(), Calls = calls, IsTransaction = isTransaction,
        };
        _operations.Add(operation);
        return operation;
    }

    /// <summary>Ends an operation now.</summary>
    protected void Note(Operation operation, long[]? results)
    {
        operation.Results = results;
        operation.ReturnedAt = _now();
    }

    private byte[] Encode(Call call)
    {
        double seconds = (1 + Below(TimeoutMsMax)) / 1000.0;
        return RespClient.Encode(WordsOf(call, NamesOf(call.Keys),
            seconds.ToString(CultureInfo.InvariantCulture)));
    }
}
