using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Cinnabar.Structures.Listpacks;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Structures;
using Xunit;

namespace Cinnabar.Tests.Differential.Structures;

// Small hashes and sets are made by the same steps here and in redis-server, and its DUMP, without its frame
// (a byte for the type, the length, and 10 bytes of version and checksum), must be our bytes.
public sealed class PackOracleTests
{
    private const int RoundCount = 150;
    private const int StepCountMax = 60;

    [Fact]
    public void ListpacksOfHashesAreTheOraclesBytes() => Compare(CompareHash);

    [Fact]
    public void IntsetsAreTheOraclesBytes() => Compare(CompareSet);

    private static void Compare(Action<RespClient, Random> compare)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer oracle = OracleServer.Start();
        using RespClient client = oracle.Connect();
        client.Call("CONFIG", "SET", "rdbcompression", "no");
        client.Call("CONFIG", "SET", "hash-max-listpack-value", "1000000");
        Seeded.Run(1, seed =>
        {
            var random = new Random((int)seed);
            for (int round = 0; round < RoundCount; round++) compare(client, random);
        });
    }

    private static void CompareHash(RespClient client, Random random)
    {
        using var pack = new ListpackMemory(1 << 22);
        List<byte[][]> commands = [[.. Words("DEL", "h")]];
        for (int step = random.Next(1, StepCountMax); step > 0; step--)
        {
            byte[] field = Text(random);
            byte[] value = Text(random);
            int found = pack.Reader.Find(field, pack.Reader.First, 2);
            if (random.Next(4) == 0)
            {
                if (found != 0) pack.Edit().Delete(found, 2);
                commands.Add([.. Words("HDEL", "h"), field]);
                continue;
            }
            Set(pack, found, field, value);
            commands.Add([.. Words("HSET", "h"), field, value]);
        }
        byte[] expected = Dump(client, commands, "h");
        Assert.Equal(expected, pack.Reader.IsEmpty ? [] : pack.Reader.Bytes.ToArray());
        if (expected.Length > 0) Assert.True(ListpackValidator.IsSound(expected, 2));
    }

    private static void Set(ListpackMemory pack, int found, byte[] field, byte[] value)
    {
        var element = new ListpackElement(value);
        if (found == 0)
        {
            var name = new ListpackElement(field);
            pack.Edit(name.Size + element.Size).Append(name, element);
            return;
        }
        int position = pack.Reader.Next(found);
        pack.Edit(Math.Max(0, element.Size - pack.Reader.SizeAt(position))).Replace(position, element);
    }

    private static void CompareSet(RespClient client, Random random)
    {
        using var set = new IntsetMemory();
        List<byte[][]> commands = [[.. Words("DEL", "s")]];
        int bitsMax = random.Next(1, 65);
        for (int step = random.Next(1, StepCountMax); step > 0; step--)
        {
            long member = random.NextInt64(long.MinValue, long.MaxValue) >> (64 - random.Next(bitsMax) - 1);
            bool isRemoved = random.Next(4) == 0 && set.Reader.Count > 1;
            if (isRemoved)
            {
                member = set.Reader[random.Next(set.Reader.Count)];
                set.Edit().Remove(member);
            }
            else
            {
                set.Add(member);
            }
            commands.Add(Words(isRemoved ? "SREM" : "SADD", "s", $"{member}"));
        }
        Assert.Equal(Dump(client, commands, "s"), set.Reader.Bytes.ToArray());
    }

    private static byte[] Dump(RespClient client, List<byte[][]> commands, string key)
    {
        commands.Add(Words("DUMP", key));
        RespValue reply = client.CallAll(commands)[^1];
        byte[] dump = Encoding.Latin1.GetBytes(reply.Text);
        if (dump.Length == 0) return [];
        int frame = (dump[1] >> 6) switch { 0 => 2, 1 => 3, _ => 6 };
        return dump[frame..^10];
    }

    private static byte[] Text(Random random)
    {
        string text = random.Next(7) switch
        {
            0 => $"{random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64)}",
            1 => new string('9', random.Next(23)),
            2 => new string('b', random.Next(200)),
            3 when random.Next(8) == 0 => new string('c', random.Next(20_000)),
            4 => random.Next(-20, 20).ToString("00", CultureInfo.InvariantCulture),
            _ => "field:" + random.Next(12),
        };
        return Encoding.Latin1.GetBytes(text);
    }

    private static byte[][] Words(params string[] words) => Array.ConvertAll(words, Encoding.Latin1.GetBytes);
}
