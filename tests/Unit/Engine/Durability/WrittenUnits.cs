using System;
using System.Collections.Generic;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>
/// Units that a client writes one after another over several lives of a server: each sets two keys, at once
/// or not at all. It knows what was acknowledged of them, and says whether what a server has loaded can be
/// what is left: no unit by half, none that was refused, and of a life the first ones.
/// </summary>
internal sealed class WrittenUnits
{
    private const int PaddingMax = 600;

    private readonly List<UnitState> _states = [];
    private readonly List<long> _acknowledgedUs = [];
    private readonly Queue<int> _replyCounts = [];
    private readonly HashSet<int> _torn = [];
    private readonly HashSet<int> _tornNow = [];
    private TestClient? _client;
    private int _firstOfLife;
    private int _settled;
    private int _repliesLeft;

    /// <summary>How many have been sent.</summary>
    public int SentCount => _states.Count;

    /// <summary>All before this one have been answered.</summary>
    public int SettledCount => _settled;

    /// <summary>A server has begun; what it has loaded is looked at, and is what there is now.</summary>
    /// <param name="server">The server.</param>
    /// <param name="durableCount">All that were acknowledged before this one must be there.</param>
    public void BeginLife(TestServer server, int durableCount)
    {
        _client = server.Connect();
        bool[] present = Check(_client, durableCount, SentCount);
        for (int index = 0; index < present.Length; index++)
            _states[index] = present[index] ? UnitState.Acknowledged : UnitState.Gone;
        _torn.UnionWith(_tornNow);
        _replyCounts.Clear();
        _repliesLeft = 0;
        _firstOfLife = _settled = SentCount;
    }

    /// <summary>Sends the next one.</summary>
    public void Send(ref RandomSource random)
    {
        string number = $"{SentCount}";
        string value = number.PadRight((int)random.NextBelow(PaddingMax));
        _states.Add(UnitState.Sent);
        _acknowledgedUs.Add(long.MaxValue);
        if (random.NextBelow(3) == 0)
        {
            _client!.Send("MULTI");
            _client.Send("SET", $"first{number}", value);
            _client.Send("SET", $"second{number}", value);
            _client.Send("EXEC");
            _replyCounts.Enqueue(4);
            return;
        }

        _client!.Send("MSETNX", $"first{number}", value, $"second{number}", value);
        _replyCounts.Enqueue(1);
    }

    /// <summary>Takes what has been answered.</summary>
    public void TakeReplies(long nowUs)
    {
        foreach (RespValue reply in _client!.Take())
        {
            if (_repliesLeft == 0)
                _repliesLeft = _replyCounts.Dequeue();
            // The last reply of a transaction says what became of it.
            if (--_repliesLeft > 0)
                continue;
            Assert.True(reply.Kind is ':' or '*' or '-', $"{reply}");
            bool isDone = reply.Kind != '-';
            Assert.True(isDone || reply.Text.StartsWith("MISCONF", StringComparison.Ordinal)
                || reply.Text.StartsWith("EXECABORT", StringComparison.Ordinal), $"{reply}");
            _acknowledgedUs[_settled] = nowUs;
            _states[_settled++] = isDone ? UnitState.Acknowledged : UnitState.Refused;
        }
    }

    /// <summary>How many had been answered at a time.</summary>
    public int SettledBefore(long us)
    {
        int count = _settled;
        while (count > _firstOfLife && _acknowledgedUs[count - 1] > us)
            count--;
        return count;
    }

    /// <summary>Looks at what a server has loaded.</summary>
    /// <param name="client">Of the server.</param>
    /// <param name="durableCount">All that were acknowledged before this one must be there.</param>
    /// <param name="sentCount">None from this one on can be there.</param>
    /// <returns>Which are there.</returns>
    public bool[] Check(TestClient client, int durableCount, int sentCount) =>
        Check(client, first: 0, durableCount, sentCount);

    /// <summary>Looks at what a server has loaded of an RDB file. What former lives had is not known of
    /// it.</summary>
    public void CheckSnapshot(TestClient client, int savedCount, int sentCount) =>
        Check(client, _firstOfLife, savedCount, sentCount);

    private bool[] Check(TestClient client, int first, int durableCount, int sentCount)
    {
        if (SentCount == 0)
            return [];
        _tornNow.Clear();
        string[] values = Values(client, "first");
        string[] others = Values(client, "second");
        int missing = -1;
        for (int index = first; index < SentCount; index++)
        {
            bool isThere = values[index].Length > 0;
            Assert.True(isThere == others[index].Length > 0, $"unit {index} is there by half");
            // Commands have no checksum: where a power loss left zeros in a value, it has them.
            bool isTorn = (index >= durableCount || _torn.Contains(index))
                && (values[index] + others[index]).Contains('\0');
            if (isTorn)
                _tornNow.Add(index);
            Assert.True(isTorn || !isThere
                || (values[index].TrimEnd() == $"{index}" && values[index] == others[index]),
                $"unit {index}: {values[index]}, {others[index]}");
            CheckOne(index, isThere, durableCount, sentCount);
            if (index < _firstOfLife || _states[index] is UnitState.Refused or UnitState.Gone)
                continue;
            Assert.False(isThere && missing >= 0, $"unit {index} is there, but {missing} is not");
            missing = isThere || missing >= 0 ? missing : index;
        }

        return [.. values.Select(static value => value.Length > 0)];
    }

    private void CheckOne(int index, bool isThere, int durableCount, int sentCount)
    {
        UnitState state = _states[index];
        Assert.False(isThere && (index >= sentCount || state is UnitState.Refused or UnitState.Gone),
            $"unit {index} of {sentCount} was {state}, and is there");
        Assert.False(!isThere && index < durableCount && state == UnitState.Acknowledged,
            $"unit {index} of {durableCount} is lost");
    }

    private string[] Values(TestClient client, string name) =>
        [.. client.Call(["MGET", .. Enumerable.Range(0, SentCount).Select(index => $"{name}{index}")])
            .Items.Select(static item => item.Text)];
}
