using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>Makes one client's random operations on a few shared keys, and records what came of
/// them.</summary>
internal sealed class HistoryWorkload : IRecordingWorkload
{
    private readonly int _client;
    private readonly string _prefix;
    private readonly int _keyCount;
    private readonly Func<long> _now;
    private readonly List<Operation> _operations = [];
    private RandomSource _random;
    private long _valueLast;
    private int _watchStep;

    /// <summary>Makes a workload.</summary>
    /// <param name="client">Number of the client in the history.</param>
    /// <param name="prefix">What its keys' names begin with.</param>
    /// <param name="keyCount">Number of keys.</param>
    /// <param name="seed">What the operations come from.</param>
    /// <param name="now">Gives a moment later than any before.</param>
    public HistoryWorkload(int client, string prefix, int keyCount, ulong seed, Func<long> now)
    {
        _client = client;
        _prefix = prefix;
        _keyCount = keyCount;
        _now = now;
        _random = new RandomSource(seed);
        _valueLast = 1_000_000L * (client + 1);
    }

    /// <summary>For the canary: WATCH is recorded and not sent, as if the server ignored it.</summary>
    public bool OmitsWatch { get; init; }

    /// <inheritdoc/>
    public IReadOnlyList<Operation> Operations => _operations;

    /// <inheritdoc/>
    public Request Next()
    {
        if (_watchStep == 0 && _random.NextBelow(5) == 0)
            _watchStep = 3;
        switch (_watchStep)
        {
            case 3:
                _watchStep--;
                return Send(new Call(CallKind.Watch, TwoKeys(), []));
            case 2:
                _watchStep--;
                return Send(new Call(CallKind.GetMany, TwoKeys(), []));
            case 1:
                _watchStep--;
                return Transaction();
            default:
                return _random.NextBelow(6) == 0 ? Transaction() : Send(RandomCall());
        }
    }

    /// <inheritdoc/>
    public bool TryPush(RespValue reply) => false;

    /// <inheritdoc/>
    public void Disconnect()
    {
    }

    private static bool IsWrite(Call call) =>
        call.Kind is not (CallKind.Get or CallKind.GetMany or CallKind.Watch);

    private int[] TwoKeys()
    {
        int first = (int)_random.NextBelow((ulong)_keyCount);
        int second = (first + 1 + (int)_random.NextBelow((ulong)_keyCount - 1)) % _keyCount;
        return [first, second];
    }

    private Call RandomCall()
    {
        int key = (int)_random.NextBelow((ulong)_keyCount);
        return _random.NextBelow(8) switch
        {
            0 or 1 => Call.Of(CallKind.Set, key, ++_valueLast),
            2 => Call.Of(CallKind.Increment, key),
            3 => new Call(CallKind.Delete, _random.NextBelow(2) == 0 ? [key] : TwoKeys(), []),
            4 => new Call(CallKind.SetMany, TwoKeys(), [++_valueLast, ++_valueLast]),
            5 => new Call(CallKind.GetMany, TwoKeys(), []),
            _ => Call.Of(CallKind.Get, key),
        };
    }

    private Request Send(Call call)
    {
        Operation operation = Record([call], isTransaction: false);
        if (call.Kind == CallKind.Watch && OmitsWatch)
            return new Request(RespClient.Encode(["SELECT", "0"]), 1, _ => Note(operation, [0]));
        return new Request(Encode(call), 1, replies => Note(operation, Numbers(replies[0])))
        {
            IsWrite = IsWrite(call),
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
            Note(operation, replies[^1].Kind == '_' ? null : Numbers(replies[^1]));
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

    private void Note(Operation operation, long[]? results)
    {
        operation.Results = results;
        operation.ReturnedAt = _now();
    }

    private byte[] Encode(Call call)
    {
        string[] keys = [.. call.Keys.Select(key => $"{_prefix}{key}")];
        string[] values =
            [.. call.Values.Select(static value => value.ToString(CultureInfo.InvariantCulture))];
        string[] command = call.Kind switch
        {
            CallKind.Get => ["GET", .. keys],
            CallKind.Set => ["SET", keys[0], values[0]],
            CallKind.Increment => ["INCR", keys[0]],
            CallKind.Delete => ["DEL", .. keys],
            CallKind.GetMany => ["MGET", .. keys],
            CallKind.SetMany => ["MSET", keys[0], values[0], keys[1], values[1]],
            _ => ["WATCH", .. keys],
        };
        return RespClient.Encode(command);
    }

    private static long[] Numbers(RespValue reply) => reply.Kind switch
    {
        '*' => [.. reply.Items.SelectMany(Numbers)],
        '_' => [Operation.Missing],
        '+' when reply.Text == "OK" => [0],
        ':' or '$' => [long.Parse(reply.Text, CultureInfo.InvariantCulture)],
        _ => throw new InvalidDataException($"Unexpected reply {reply}"),
    };
}
