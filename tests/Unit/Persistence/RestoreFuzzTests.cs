using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Persistence.Rdb;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Persistence;

/// <summary>Payloads of the corpus that were damaged, most with a valid checksum, are restored or refused;
/// what was restored can be dumped and restored again. Open-ended with CINNABAR_TEST_SECONDS and
/// CINNABAR_INPUTS.</summary>
public sealed class RestoreFuzzTests
{
    private const int RoundCount = 2000;
    private const int FooterLength = 10;
    private const int TestPart = 20;

    private readonly long _endMs = Environment.TickCount64 + (Seconds * 1000);

    private static long Seconds =>
        int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"),
            CultureInfo.InvariantCulture, out int seconds) ? seconds / TestPart : 0;

    [Fact]
    public void DamagedPayloadsAreRestoredOrRefused() => Seeded.RunWhile(
        round => Environment.TickCount64 < _endMs || (long)round * RoundCount < AskedCounts.Inputs, seed =>
        {
            string path = Path.Combine(
                AppContext.BaseDirectory, "Persistence", "Rdb", "Corpus", "payloads.txt");
            byte[][] payloads = [.. File.ReadLines(path)
                .Select(static line => Convert.FromBase64String(line.Split(' ')[1]))];
            var random = new Random((int)seed);
            using var server = new TestServer(configuration: ("enable-debug-command", "yes"));
            TestClient client = server.Connect();
            int refusedCount = 0;
            for (int round = 0; round < RoundCount; round++)
            {
                byte[] payload = payloads[random.Next(payloads.Length)];
                refusedCount += TryRestore(server, client, random, payload) ? 0 : 1;
            }

            Assert.InRange(refusedCount, RoundCount / 4, RoundCount - 1);
        });

    private static bool TryRestore(TestServer server, TestClient client, Random random, byte[] payload)
    {
        string damaged = random.Next(8) == 0
            ? Encoding.Latin1.GetString(Damage.Of(random, payload))
            : DumpedPayload.Sealed(Damage.Of(random, payload[..^FooterLength]),
                random.Next(8) == 0 ? RdbVersion.Valkey : RdbVersion.RedisMax);
        MemoryBound bound = MemoryBound.Begin(server.Engine.Keyspace.Pages);
        RespValue reply = client.Call("RESTORE", "K", "0", damaged);
        bound.AssertKept(damaged.Length);
        Assert.True($"{reply}" is "+OK" or "-ERR Bad data format"
            or "-ERR DUMP payload version or checksum are wrong", $"{reply}");
        if ($"{reply}" != "+OK")
        {
            Assert.Equal(":0", client.Run("DBSIZE"));
            return false;
        }

        // The deadlines of all fields of a hash may have passed.
        if (client.Run("EXISTS K") == ":0")
            return true;
        string digest = $"{client.Call("DEBUG", "DIGEST-VALUE", "K")}";
        string dumped = client.Call("DUMP", "K").Text;
        Assert.Equal("+OK", $"{client.Call("RESTORE", "K", "0", dumped, "REPLACE")}");
        Assert.Equal(digest, $"{client.Call("DEBUG", "DIGEST-VALUE", "K")}");
        client.Call("DEL", "K");
        return true;
    }
}
