using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>Random additions, pops, moves and unions of a few shared sets (the keys of even numbers) and
/// sorted sets (those of odd ones).</summary>
internal sealed class MemberWorkload : RecordingWorkload
{
    /// <summary>Makes a workload; see <see cref="RecordingWorkload"/>.</summary>
    public MemberWorkload(int client, string prefix, int keyCount, ulong seed, Func<long> now)
        : base(client, prefix, keyCount, seed, now)
    {
    }

    /// <inheritdoc/>
    protected override bool IsWrite(Call call) => call.Kind != CallKind.Members;

    /// <inheritdoc/>
    protected override bool MayWait(Call call) => call.Kind is CallKind.WaitLowest or CallKind.WaitHighest;

    /// <inheritdoc/>
    protected override Call RandomCall()
    {
        int key = Key();
        int[] keys = Below(2) == 0 ? [key] : [key, Another(key)];
        bool isSorted = IsSorted(key);
        return Below(11) switch
        {
            0 or 1 or 2 => Call.Of(CallKind.AddMembers, key, Members()),
            3 when isSorted => Call.Of(CallKind.RemoveRange, key, Range()),
            3 => Call.Of(CallKind.RemoveMember, key, Member()),
            4 => Call.Of(CallKind.Members, key),
            5 => new Call(CallKind.StoreUnion, [key, Another(key)], []),
            6 => Call.Of(isSorted ? CallKind.PopHighest : CallKind.PopAny, key),
            7 => Call.Of(isSorted ? CallKind.PopLowest : CallKind.PopAny, key),
            8 when isSorted => new Call(CallKind.WaitLowest, keys, []),
            9 => Call.Of(CallKind.RemoveMember, key, Member()),
            10 when isSorted => new Call(CallKind.WaitHighest, keys, []),
            _ => new Call(CallKind.MoveMember, [key, Another(key)], [Member()]),
        };
    }

    /// <inheritdoc/>
    protected override string[] WordsOf(Call call, string[] keys, string timeout)
    {
        bool isSorted = IsSorted(call.Keys[0]);
        string[] members =
            [.. call.Values.Select(static value => value.ToString(CultureInfo.InvariantCulture))];
        return call.Kind switch
        {
            CallKind.AddMembers when isSorted =>
                ["ZADD", keys[0], .. members.SelectMany(static member => new[] { member, $"m{member}" })],
            CallKind.AddMembers => ["SADD", keys[0], .. members.Select(static member => $"m{member}")],
            CallKind.RemoveRange => ["ZREMRANGEBYSCORE", keys[0], .. members],
            CallKind.RemoveMember => [isSorted ? "ZREM" : "SREM", keys[0], $"m{members[0]}"],
            CallKind.MoveMember => ["SMOVE", .. keys, $"m{members[0]}"],
            CallKind.PopAny => ["SPOP", keys[0]],
            CallKind.PopLowest => ["ZPOPMIN", keys[0]],
            CallKind.PopHighest => ["ZPOPMAX", keys[0]],
            CallKind.WaitLowest => ["BZPOPMIN", .. keys, timeout],
            CallKind.WaitHighest => ["BZPOPMAX", .. keys, timeout],
            CallKind.StoreUnion when isSorted =>
                ["ZUNIONSTORE", keys[0], "2", .. keys, "AGGREGATE", "MIN"],
            CallKind.StoreUnion => ["SUNIONSTORE", keys[0], .. keys],
            _ => isSorted ? ["ZRANGE", keys[0], "0", "-1", "WITHSCORES"] : ["SMEMBERS", keys[0]],
        };
    }

    /// <inheritdoc/>
    protected override long[] Numbers(Call call, RespValue reply) => call.Kind switch
    {
        CallKind.Members => [reply.Items.Sum(static item => item.Text[0] == 'm'
            ? 1L << (int)Number(item.Text[1..]) : 0)],
        CallKind.PopLowest or CallKind.PopHighest when reply.Items.Count == 0 => [Operation.Missing],
        _ => Numbers(reply),
    };

    private long[] Numbers(RespValue reply) => reply.Kind switch
    {
        '*' => [.. reply.Items.SelectMany(Numbers)],
        '_' => [Operation.Missing],
        '$' when IsKey(reply.Text, out long key) => [key],
        '$' when reply.Text[0] == 'm' => [Number(reply.Text[1..])],
        ':' or '$' => [Number(reply.Text)],
        _ => throw new InvalidDataException($"Unexpected reply {reply}"),
    };

    private static bool IsSorted(int key) => (key & 1) != 0;

    // A key of the same kind, most often another one.
    private int Another(int key) => (key + (2 * (1 + Below(2)))) % KeyCount;

    private long[] Range()
    {
        long first = Member();
        return [first, Math.Min(first + Below(6), MemberModel.MemberEnd - 1)];
    }

    private long Member() => Below(MemberModel.MemberEnd);

    private long[] Members()
    {
        var members = new long[1 + Below(3)];
        for (int index = 0; index < members.Length; index++)
            members[index] = Member();
        return members;
    }
}
