using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using Cinnabar.Tests.Simulation.Simulating;
using Cinnabar.Tests.Simulation.Types;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;

namespace Cinnabar.Tests.Simulation.Snapshots;

/// <summary>A client that changes keys of every type: by single commands, transactions, scripts, commands
/// that wait, and flushes. What it is answered is not looked at.</summary>
internal sealed class SnapshotWrites : IWorkload
{
    // The second argument says how it ends.
    private const string Script = "local done = 0 "
        + "for _, command in ipairs(cjson.decode(ARGV[1])) do "
        + "redis.pcall(unpack(command)) done = done + 1 end "
        + "if ARGV[2] == '1' then error('given up') end return done";

    private static readonly string[][] s_waits =
    [
        ["BLPOP", "l0", "l1", "0.05"], ["BLMOVE", "l2", "l3", "LEFT", "RIGHT", "0.05"],
        ["BZPOPMIN", "z1", "z2", "0.05"], ["BLMPOP", "0.05", "2", "l0", "l4", "RIGHT", "COUNT", "3"],
        ["XREADGROUP", "GROUP", "g", "c", "BLOCK", "50", "STREAMS", "x0", ">"],
    ];

    private static readonly string[][] s_flushes =
    [
        ["FLUSHDB"], ["FLUSHDB", "SYNC"], ["FLUSHDB", "ASYNC"], ["FLUSHALL"], ["FLUSHALL", "SYNC"],
        ["FLUSHALL", "ASYNC"],
    ];

    private readonly Dice _dice;
    private readonly RandomWrites _writes;
    private readonly Queue<string[]> _first;

    /// <summary>Makes it.</summary>
    /// <param name="seed">What it does comes from this.</param>
    /// <param name="populates">Whether it begins with values of every type and size.</param>
    public SnapshotWrites(ulong seed, bool populates)
    {
        _dice = new Dice(seed);
        _writes = new RandomWrites(_dice.Next());
        _first = new Queue<string[]>(populates ? _writes.Population() : []);
    }

    /// <summary>Whether it has begun to write at random.</summary>
    public bool IsPopulated => _first.Count == 0;

    /// <inheritdoc/>
    public Request Next()
    {
        if (_first.TryDequeue(out string[]? first))
            return Request.Any(first);
        return _dice.Below(40) switch
        {
            < 6 => Request.Any([["MULTI"], .. Some(4), ["EXEC"]]),
            < 12 => OfScript(),
            < 14 => Request.Any(_dice.Pick(s_waits)) with { MayWait = true },
            14 when _dice.OneIn(3) => Request.Any(_dice.Pick(s_flushes)),
            15 => Request.Any(["SELECT", $"{_dice.Below(3)}"]),
            16 => Request.Any(["RESTORE", $"s{_dice.Below(6)}", "0", "wrong", "REPLACE"]),
            _ => Request.Any(_writes.Next()),
        };
    }

    /// <inheritdoc/>
    public bool TryPush(RespValue reply) => false;

    /// <inheritdoc/>
    public void Disconnect() => _first.Clear();


    private string[][] Some(int countMax) => _dice.Some(countMax, _writes.Next);

    // With the keys of its commands or without: those that it does not name make it run again.
    private Request OfScript()
    {
        string[][] commands = Some(6);
        if (_dice.OneIn(20))
            commands = [.. commands, _dice.Pick(s_flushes)];
        string[] keys = _dice.OneIn(2) ? [] : [.. commands.Select(static command => command[^1])];
        return Request.Any(["EVAL", Script, $"{keys.Length}", .. keys, JsonSerializer.Serialize(commands),
            _dice.OneIn(3) ? "1" : "0"]);
    }
}
