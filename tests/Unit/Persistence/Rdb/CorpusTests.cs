using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence.Rdb;

/// <summary>Small payloads of every type and encoding, kept in a file with the digests of their values: a
/// change of writers and readers alike does not go unseen. CINNABAR_WRITE_CORPUS names a file to write them
/// anew to.</summary>
public sealed class CorpusTests
{
    private const int PayloadsPerType = 3;
    private const int PayloadBytesMax = 400;
    private const int RedisVersion = 13;
    private const byte ValkeyHash = 22;

    private static string CorpusPath => Path.Combine(
        AppContext.BaseDirectory, "Persistence", "Rdb", "Corpus", "payloads.txt");

    [Fact]
    public void EveryPayloadHasItsDigest()
    {
        string[] lines = File.ReadAllLines(CorpusPath);
        using TestServer server = NewServer();
        TestClient client = server.Connect();
        foreach (string line in lines)
        {
            string[] parts = line.Split(' ');
            string payload = Encoding.Latin1.GetString(Convert.FromBase64String(parts[1]));
            Assert.Equal((line, parts[2]), (line, DigestOf(client, payload)));
        }

        Assert.Equal(Types().Select(type => $"{type}").Order(),
            lines.Select(line => line.Split(' ')[0]).Distinct().Order());
    }

    [Fact]
    public void TheCorpusIsWhatTheWritersMake()
    {
        using TestServer server = NewServer();
        TestClient client = server.Connect();
        var lines = new List<string>();
        foreach (RdbType type in Types())
        {
            foreach (byte[] value in Small(type))
            {
                string payload = type == RdbType.ValkeyHash2
                    ? DumpedPayload.Of(ValkeyHash, value, RdbVersion.Valkey)
                    : DumpedPayload.Of((byte)type, value, RedisVersion);
                string packed = Convert.ToBase64String(Encoding.Latin1.GetBytes(payload));
                lines.Add($"{type} {packed} {DigestOf(client, payload)}");
            }
        }

        if (Environment.GetEnvironmentVariable("CINNABAR_WRITE_CORPUS") is { Length: > 0 } path)
            File.WriteAllLines(path, lines);
        Assert.Equal(File.ReadAllLines(CorpusPath), lines);
    }

    private static TestServer NewServer() =>
        new(loopCount: 1, clock: null, ("enable-debug-command", "yes"));

    private static string DigestOf(TestClient client, string payload)
    {
        Assert.Equal("+OK", $"{client.Call("RESTORE", "K", "0", payload, "REPLACE")}");
        return client.Call("DEBUG", "DIGEST-VALUE", "K").Items[0].Text;
    }

    private static IEnumerable<RdbType> Types() => Enum.GetValues<RdbType>().Where(
        type => type is not (RdbType.Module2 or RdbType.ModulePreGa)).Order();

    private static IEnumerable<byte[]> Small(RdbType type)
    {
        int found = 0;
        for (int seed = 0; found < PayloadsPerType; seed++)
        {
            byte[] value = type is RdbType.StreamListpacks or RdbType.StreamListpacks2
                or RdbType.StreamListpacks3 or RdbType.StreamListpacks4
                    ? new RandomStream(new Random(seed), type).ToArray()
                    : new RandomValue(new Random(seed), type).ToArray();
            if (value.Length > PayloadBytesMax)
                continue;
            found++;
            yield return value;
        }
    }
}
