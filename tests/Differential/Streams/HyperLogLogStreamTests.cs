using System;
using System.Linq;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Streams;

/// <summary>Random HyperLogLog commands; the strings are compared byte for byte.</summary>
public sealed class HyperLogLogStreamTests
{
    private const double Seconds = 3;
    private static readonly int[] s_elementCounts = [0, 1, 1, 2, 3, 10, 100, 1000];
    private static readonly string[] s_keys = ["h0", "h1", "h2", "h3", "h4", "h5"];

    [Theory]
    [InlineData(2)]
    [InlineData(3)]
    public void RepliesAndBytesAreThoseOfRedis(int protocol) => Duel.Run(Seconds, protocol, duel =>
    {
        for (int count = 0; count < 20; count++)
            Step(duel);
        foreach (string key in s_keys)
        {
            duel.Call("TYPE", key);
            duel.Call("GET", key);
            duel.Call("OBJECT", "ENCODING", key);
            duel.Call("TTL", key);
        }
    }, IsAllowed);

    // Where the runs are corrupt, DECODE goes on in the oracle and stops here; and a register whose run
    // reaches behind the last register can be raised there, but not here.
    private static bool IsAllowed(string[] words, RespValue theirs, RespValue ours) => words[0] switch
    {
        "PFDEBUG" => theirs.Kind == '$' && ours.Kind == '$'
            && theirs.Text.StartsWith(ours.Text, StringComparison.Ordinal),
        "PFADD" => IsCorrupt(ours),
        _ => false,
    };

    private static bool IsCorrupt(RespValue reply) =>
        reply.Kind == '-' && reply.Text.StartsWith("INVALIDOBJ", StringComparison.Ordinal);

    internal static void Step(Duel duel)
    {
        string key = Key(duel);
        switch (duel.Random.Next(20))
        {
            case 0:
                duel.Call("DEL", key);
                break;
            case 1:
                duel.Call("CONFIG", "SET", "hll-sparse-max-bytes", 
                    duel.Pick("0", "30", "100", "3000", "16000"));
                break;
            case 2:
                Spoil(duel, key);
                break;
            case 3:
                duel.Call("PFDEBUG", duel.Pick("encoding", "TODENSE", "Decode", "getreg", "no"), key);
                break;
            case 4 or 5 or 6:
                string[] sources = [.. Enumerable.Range(0, duel.Random.Next(4)).Select(_ => Key(duel))];
                duel.Call(["PFMERGE", key, .. sources]);
                break;
            case 7:
                duel.Call("PFCOUNT", key, Key(duel));
                break;
            case 8:
                duel.Call("PFCOUNT", key, Key(duel), key, "missing");
                break;
            case 9 or 10:
                duel.Call("PFCOUNT", key);
                break;
            case 11:
                // The oracle unshares a value, which makes embstr raw.
                duel.Call("SET", key, duel.Call("GET", key).Text);
                break;
            default:
                Add(duel, key);
                break;
        }
    }

    private static void Add(Duel duel, string key)
    {
        int count = duel.Pick(s_elementCounts);
        string[] elements = [.. Enumerable.Range(0, count).Select(_ => Element(duel))];
        RespValue reply = duel.Call(["PFADD", key, .. elements]);
        // The oracle keeps the elements before the one that met what is corrupt; here nothing is half done.
        if (IsCorrupt(reply))
            duel.Call("DEL", key);
    }

    // Another type, no HyperLogLog, or one with bytes that are not what they must be.
    private static void Spoil(Duel duel, string key)
    {
        switch (duel.Random.Next(5))
        {
            case 0:
                duel.Call("SET", key, duel.Pick(
                    "", "12", "HYLL", "no HyperLogLog of Redis", "HYLL\x02\x02zzzzzzzzzzzzzzzzz"));
                break;
            case 1:
                duel.Call("SETRANGE", key, $"{duel.Random.Next(40)}", $"{(char)duel.Random.Next(256)}");
                break;
            case 2:
                duel.Call("APPEND", key, $"{(char)duel.Random.Next(256)}");
                break;
            case 3:
                duel.Call("SETRANGE", key, $"{duel.Random.Next(3)}", "x");
                break;
            default:
                duel.Call("SETRANGE", key, $"{duel.Random.Next(5, 16)}", $"{(char)duel.Random.Next(256)}");
                break;
        }
    }

    private static string Key(Duel duel) => duel.Random.Next(30) == 0 ? "missing" : duel.Pick(s_keys);

    private static string Element(Duel duel)
    {
        if (duel.Random.Next(20) == 0) return "";
        return duel.Random.Next(3) == 0 ? $"{duel.Random.Next(100)}" : $"{duel.Random.Next()}";
    }
}
