using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>Random reads, writes and watched transactions of a few shared strings.</summary>
internal class HistoryWorkload : RecordingWorkload
{
    private long _valueLast;
    private int _watchStep;

    /// <summary>Makes a workload; see <see cref="RecordingWorkload"/>.</summary>
    public HistoryWorkload(int client, string prefix, int keyCount, ulong seed, Func<long> now)
        : base(client, prefix, keyCount, seed, now) => _valueLast = ValueBase;

    /// <summary>For the canary: WATCH is recorded and not sent, as if the server ignored it.</summary>
    public bool OmitsWatch { get; init; }

    /// <summary>Whether commands are scripts, most of which do not declare their keys.</summary>
    public bool UsesScripts { get; init; }

    /// <inheritdoc/>
    public override Request Next()
    {
        if (_watchStep == 0 && Below(5) == 0)
            _watchStep = 3;
        switch (_watchStep)
        {
            case 3:
                _watchStep--;
                return Watch();
            case 2:
                _watchStep--;
                return Send(new Call(CallKind.GetMany, TwoKeys(), []));
            case 1:
                _watchStep--;
                return Transaction();
            default:
                return base.Next();
        }
    }

    /// <inheritdoc/>
    protected override bool IsWrite(Call call) =>
        call.Kind is not (CallKind.Get or CallKind.GetMany or CallKind.Watch);

    /// <inheritdoc/>
    protected override Call RandomCall()
    {
        int key = Key();
        return Below(8) switch
        {
            0 or 1 => Call.Of(CallKind.Set, key, NextValue()),
            2 => Call.Of(CallKind.Increment, key),
            3 => new Call(CallKind.Delete, Below(2) == 0 ? [key] : TwoKeys(), []),
            4 => new Call(CallKind.SetMany, TwoKeys(), [NextValue(), NextValue()]),
            5 => new Call(CallKind.GetMany, TwoKeys(), []),
            _ => Call.Of(CallKind.Get, key),
        };
    }

    /// <inheritdoc/>
    protected override string[] WordsOf(Call call, string[] keys, string timeout)
    {
        string[] values =
            [.. call.Values.Select(static value => value.ToString(CultureInfo.InvariantCulture))];
        string[] words = call.Kind switch
        {
            CallKind.Get => ["GET", .. keys],
            CallKind.Set => ["SET", keys[0], values[0]],
            CallKind.Increment => ["INCR", keys[0]],
            CallKind.Delete => ["DEL", .. keys],
            CallKind.GetMany => ["MGET", .. keys],
            CallKind.SetMany => ["MSET", keys[0], values[0], keys[1], values[1]],
            _ => ["WATCH", .. keys],
        };
        if (!UsesScripts || call.Kind == CallKind.Watch)
            return words;
        // Now and then a text of its own, of which nothing is remembered.
        string script = "return redis.call(unpack(ARGV))" + (Below(3) == 0 ? $" -- {Below(100)}" : "");
        return Below(3) == 0
            ? ["EVAL", script, $"{keys.Length}", .. keys, .. words]
            : ["EVAL", script, "0", .. words];
    }

    /// <inheritdoc/>
    protected override long[] Numbers(Call call, RespValue reply) => Numbers(reply);

    /// <inheritdoc/>
    protected override long[]? ExecNumbers(Call[] calls, RespValue reply) =>
        reply.Kind == '_' ? null : Numbers(reply);

    /// <summary>A value that was never written before.</summary>
    protected long NextValue() => ++_valueLast;

    private static long[] Numbers(RespValue reply) => reply.Kind switch
    {
        '*' => [.. reply.Items.SelectMany(Numbers)],
        '_' => [Operation.Missing],
        '+' when reply.Text == "OK" => [0],
        ':' or '$' => [Number(reply.Text)],
        _ => throw new InvalidDataException($"Unexpected reply {reply}"),
    };

    private Request Watch()
    {
        var call = new Call(CallKind.Watch, TwoKeys(), []);
        if (!OmitsWatch)
            return Send(call);
        Operation operation = Record([call], isTransaction: false);
        return new Request(RespClient.Encode(["SELECT", "0"]), 1, _ => Note(operation, [0]));
    }

    private int[] TwoKeys()
    {
        int first = Key();
        return [first, (first + 1 + Below(KeyCount - 1)) % KeyCount];
    }
}
