using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>Random pushes, pops, moves and edits of a few shared lists.</summary>
internal sealed class ListWorkload : RecordingWorkload
{
    private long _valueLast;

    /// <summary>Makes a workload; see <see cref="RecordingWorkload"/>.</summary>
    public ListWorkload(int client, string prefix, int keyCount, ulong seed, Func<long> now)
        : base(client, prefix, keyCount, seed, now) => _valueLast = ValueBase;

    /// <summary>For the canary: a client that waits for the first element seems to get the last.</summary>
    public bool SwapsEnds { get; init; }

    /// <inheritdoc/>
    protected override bool IsWrite(Call call) => call.Kind != CallKind.List;

    /// <inheritdoc/>
    protected override bool MayWait(Call call) =>
        call.Kind is CallKind.WaitHead or CallKind.WaitTail or CallKind.WaitMove;

    /// <inheritdoc/>
    protected override Call RandomCall() => Below(15) switch
    {
        0 => Call.Of(CallKind.PushHead, Key(), Values()),
        1 or 2 => Call.Of(CallKind.PushTail, Key(), Values()),
        3 => Call.Of(CallKind.PopHead, Key()),
        4 => Call.Of(CallKind.PopTail, Key()),
        5 => new Call(CallKind.Move, [Key(), Key()], []),
        6 => new Call(CallKind.WaitMove, [Key(), Key()], []),
        7 => Call.Of(CallKind.List, Key()),
        8 => new Call(CallKind.WaitTail, OneOrTwoKeys(), []),
        9 => new Call(CallKind.CopyList, TwoKeys(), []),
        10 => Call.Of(CallKind.RemoveValue, Key(), RecentValue()),
        11 => Call.Of(CallKind.InsertBefore, Key(), RecentValue(), ++_valueLast),
        12 => new Call(CallKind.StoreSorted, TwoKeys(), []),
        _ => new Call(CallKind.WaitHead, OneOrTwoKeys(), []),
    };

    /// <inheritdoc/>
    protected override string[] WordsOf(Call call, string[] keys, string timeout)
    {
        string[] values =
            [.. call.Values.Select(static value => value.ToString(CultureInfo.InvariantCulture))];
        return call.Kind switch
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
            CallKind.RemoveValue => ["LREM", keys[0], "0", .. values],
            CallKind.InsertBefore => ["LINSERT", keys[0], "BEFORE", .. values],
            CallKind.StoreSorted => ["SORT", keys[0], "STORE", keys[1]],
            _ => ["LRANGE", keys[0], "0", "-1"],
        };
    }

    /// <inheritdoc/>
    protected override long[] Numbers(Call call, RespValue reply) => Numbers(reply);

    private long[] Numbers(RespValue reply) => reply.Kind switch
    {
        '*' => [.. reply.Items.SelectMany(Numbers)],
        '_' => [Operation.Missing],
        '-' when reply.Text.StartsWith("UNBLOCKED ", StringComparison.Ordinal) => [Operation.Missing],
        '$' when IsKey(reply.Text, out long key) => [key],
        ':' or '$' => [Number(reply.Text)],
        _ => throw new InvalidDataException($"Unexpected reply {reply}"),
    };

    // A value that was pushed lately and may still be there.
    private long RecentValue() => _valueLast - Below(4);

    private int[] OneOrTwoKeys() => Below(2) == 0 ? [Key()] : [Key(), Key()];

    private int[] TwoKeys()
    {
        int key = Key();
        return [key, (key + 1) % KeyCount];
    }

    private long[] Values()
    {
        var values = new long[1 + Below(3)];
        for (int index = 0; index < values.Length; index++)
            values[index] = ++_valueLast;
        return values;
    }
}
