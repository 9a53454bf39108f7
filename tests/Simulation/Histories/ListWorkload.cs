using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>Makes one client's random pushes, pops and moves on a few shared lists, many of which wait, and
/// records what came of them.</summary>
internal sealed class ListWorkload : IRecordingWorkload
{
    private readonly int _client;
    private readonly string _prefix;
    private readonly int _keyCount;
    private readonly Func<long> _now;
    private readonly List<Operation> _operations = [];
    private RandomSource _random;
    private long _valueLast;

    /// <summary>Makes a workload.</summary>
    /// <param name="client">Number of the client in the history.</param>
    /// <param name="prefix">What its keys' names begin with; ends with a colon.</param>
    /// <param name="keyCount">Number of keys.</param>
    /// <param name="seed">What the operations come from.</param>
    /// <param name="now">Gives a moment later than any before.</param>
    public ListWorkload(int client, string prefix, int keyCount, ulong seed, Func<long> now)
    {
        _client = client;
        _prefix = prefix;
        _keyCount = keyCount;
        _now = now;
        _random = new RandomSource(seed);
        _valueLast = 1_000_000L * (client + 1);
    }

    /// <summary>The longest time that it waits, in milliseconds.</summary>
    public int TimeoutMsMax { get; init; } = 30;

    /// <summary>For the canary: who waits for the first element seems to get the last.</summary>
    public bool SwapsEnds { get; init; }

    /// <inheritdoc/>
    public IReadOnlyList<Operation> Operations => _operations;

    /// <inheritdoc/>
    public Request Next() => _random.NextBelow(6) == 0 ? Transaction() : Send(RandomCall());

    /// <inheritdoc/>
    public bool TryPush(RespValue reply) => false;

    /// <inheritdoc/>
    public void Disconnect()
    {
    }

    private static bool IsWrite(Call call) => call.Kind != CallKind.List;

    private int Key() => (int)_random.NextBelow((ulong)_keyCount);

    private int[] OneOrTwoKeys() => _random.NextBelow(2) == 0 ? [Key()] : [Key(), Key()];

    private Call RandomCall() => _random.NextBelow(12) switch
    {
        0 => Call.Of(CallKind.PushHead, Key(), Values()),
        1 or 2 => Call.Of(CallKind.PushTail, Key(), Values()),
        3 => Call.Of(CallKind.PopHead, Key()),
        4 => Call.Of(CallKind.PopTail, Key()),
        5 => new Call(CallKind.Move, [Key(), Key()], []),
        6 => new Call(CallKind.WaitMove, [Key(), Key()], []),
        7 => Call.Of(CallKind.List, Key()),
        8 => new Call(CallKind.WaitTail, OneOrTwoKeys(), []),
        9 => Copy(),
        _ => new Call(CallKind.WaitHead, OneOrTwoKeys(), []),
    };

    private Call Copy()
    {
        int key = Key();
        return new Call(CallKind.CopyList, [key, (key + 1) % _keyCount], []);
    }

    private long[] Values()
    {
        var values = new long[1 + (int)_random.NextBelow(3)];
        for (int index = 0; index < values.Length; index++)
            values[index] = ++_valueLast;
        return values;
    }

    private Request Send(Call call)
    {
        Operation operation = Record([call], isTransaction: false);
        return new Request(Encode(call), 1, replies => Note(operation, Numbers(replies[0])))
        {
            IsWrite = IsWrite(call),
            MayWait = call.Kind is CallKind.WaitHead or CallKind.WaitTail or CallKind.WaitMove,
        };
    }

    private Request Transaction()
    {
        var calls = new Call[1 + (int)_random.NextBelow(3)];
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
            Note(operation, Numbers(replies[^1]));
        })
        {
            IsWrite = calls.Any(IsWrite),
        };
    }

    private Operation Record(Call[] calls, bool isTransaction)
    {
        var operation = new Operation
        {
            Client = _client, InvokedAt = _now(), Calls = calls, IsTransaction = isTransaction,
        };
        _operations.Add(operation);
        return operation;
    }

    private void Note(Operation operation, long[] results)
    {
        operation.Results = results;
        operation.ReturnedAt = _now();
    }

    private byte[] Encode(Call call)
    {
        string[] keys = [.. call.Keys.Select(key => $"{_prefix}{key}")];
        string[] values =
            [.. call.Values.Select(static value => value.ToString(CultureInfo.InvariantCulture))];
        double seconds = (1 + (int)_random.NextBelow((ulong)TimeoutMsMax)) / 1000.0;
        string timeout = seconds.ToString(CultureInfo.InvariantCulture);
        string[] command = call.Kind switch
        {
            CallKind.PushHead => ["LPUSH", keys[0], .. values],
            CallKind.PushTail => ["RPUSH", keys[0], .. values],
            CallKind.PopHead => ["LPOP", keys[0]],
            CallKind.PopTail => ["RPOP", keys[0]],
            CallKind.WaitHead => [SwapsEnds ? "BRPOP" : "BLPOP", .. keys, timeout],
            CallKind.WaitTail => ["BRPOP", .. keys, timeout],
            CallKind.Move => ["LMOVE", .. keys, "LEFT", "RIGHT"],
            CallKind.WaitMove => ["BLMOVE", .. keys, "LEFT", "RIGHT", timeout],
            CallKind.CopyList => ["COPY", .. keys, "REPLACE"],
            _ => ["LRANGE", keys[0], "0", "-1"],
        };
        return RespClient.Encode(command);
    }

    private long[] Numbers(RespValue reply) => reply.Kind switch
    {
        '*' => [.. reply.Items.SelectMany(Numbers)],
        '_' => [Operation.Missing],
        '-' when reply.Text.StartsWith("UNBLOCKED ", StringComparison.Ordinal) => [Operation.Missing],
        '$' when reply.Text.StartsWith(_prefix, StringComparison.Ordinal) =>
            [Number(reply.Text[_prefix.Length..])],
        ':' or '$' => [Number(reply.Text)],
        _ => throw new InvalidDataException($"Unexpected reply {reply}"),
    };

    private static long Number(string text) => long.Parse(text, CultureInfo.InvariantCulture);
}
