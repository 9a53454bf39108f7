using System;
using Cinnabar.Commands;
using Cinnabar.Commands.Bitmaps;
using Cinnabar.Commands.Strings;

namespace Cinnabar.Tests.Support.Commands;

/// <summary>The data commands by name, for a <see cref="CommandHarness"/>.</summary>
public static class DataCommands
{
    private static readonly (string Name, Action<Execution> Handler)[] s_all =
    [
        ("APPEND", RangeCommands.Append),
        ("BITCOUNT", BitRangeCommands.BitCount),
        ("BITFIELD", BitFieldCommands.BitField),
        ("BITFIELD_RO", BitFieldCommands.BitFieldReadOnly),
        ("BITOP", BitOpCommands.BitOp),
        ("BITPOS", BitRangeCommands.BitPos),
        ("DECR", CounterCommands.Decr),
        ("DECRBY", CounterCommands.DecrBy),
        ("DELEX", CompareCommands.DelEx),
        ("DELIFEQ", CompareCommands.DelIfEq),
        ("DIGEST", CompareCommands.Digest),
        ("GET", GetCommands.Get),
        ("GETBIT", BitCommands.GetBit),
        ("GETDEL", GetCommands.GetDel),
        ("GETEX", GetCommands.GetEx),
        ("GETRANGE", RangeCommands.GetRange),
        ("GETSET", GetCommands.GetSet),
        ("INCR", CounterCommands.Incr),
        ("INCRBY", CounterCommands.IncrBy),
        ("INCRBYFLOAT", CounterCommands.IncrByFloat),
        ("LCS", LcsCommands.Lcs),
        ("MGET", GetCommands.MGet),
        ("MSET", MultiKeyCommands.MSet),
        ("MSETEX", MultiKeyCommands.MSetEx),
        ("MSETNX", MultiKeyCommands.MSetNx),
        ("PSETEX", SetCommands.PSetEx),
        ("SET", SetCommands.Set),
        ("SETBIT", BitCommands.SetBit),
        ("SETEX", SetCommands.SetEx),
        ("SETNX", SetCommands.SetNx),
        ("SETRANGE", RangeCommands.SetRange),
        ("STRLEN", GetCommands.StrLen),
        ("SUBSTR", RangeCommands.GetRange),
    ];

    /// <summary>A harness that knows all data commands.</summary>
    public static CommandHarness NewHarness(bool isChecked = true)
    {
        var harness = new CommandHarness(isChecked);
        foreach ((string name, Action<Execution> handler) in s_all)
            harness.Register(name, handler);
        return harness;
    }

    /// <summary>Plays a conversation (see <see cref="Transcript"/>) on an empty key space, then looks for
    /// leaks.</summary>
    public static void Play(string text)
    {
        using CommandHarness harness = NewHarness();
        Transcript.Play(harness, text);
    }
}
