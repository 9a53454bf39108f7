using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Durability;

/// <summary>
/// Clients write; the server is killed at a random moment and started again with what its append-only file
/// has; and so on, with rewrites in between. It always starts. What it acknowledged is there, but under
/// "everysec" what waited for a flush; a transaction is there as a whole or not at all. Open-ended with
/// CINNABAR_TEST_SECONDS, and as often as CINNABAR_KILLS says.
/// </summary>
public sealed class JournalKillTests : IDisposable
{
    private const int ClientCount = 4;
    private const int RoundCountMin = 40;
    private const int TestPart = 12;
    private const int RunMsMax = 250;

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("cinnabar-kill-");

    private static int Seconds =>
        int.TryParse(Environment.GetEnvironmentVariable("CINNABAR_TEST_SECONDS"),
            CultureInfo.InvariantCulture, out int seconds) ? seconds / TestPart : 0;

    [Fact]
    public void AcknowledgedWritesSurviveAKill()
    {
        var random = new Random((int)(uint)Seeded.Seed());
        var clients = Enumerable.Range(0, ClientCount).Select(number => new Client(number)).ToArray();
        var time = Stopwatch.StartNew();
        long countMin = Math.Max(RoundCountMin, AskedCounts.Kills);
        for (int round = 0; round < countMin || time.Elapsed.TotalSeconds < Seconds; round++)
        {
            string policy = (round % 3) switch { 0 => "always", 1 => "no", _ => "everysec" };
            using StoredServer server = StoredServer.StartOwn(_directory.FullName, "--appendonly", "yes",
                "--appendfsync", policy, "--io-threads", "2", "--auto-aof-rewrite-min-size", "100kb",
                "--auto-aof-rewrite-percentage", "50");
            foreach (Client client in clients)
                client.Check(server);
            Thread[] threads = [.. clients.Select(client => new Thread(() => client.Run(server)))];
            foreach (Thread thread in threads)
                thread.Start();
            Thread.Sleep(random.Next(RunMsMax));
            if (random.Next(3) == 0)
            {
                using RespClient client = server.Connect();
                client.Send("BGREWRITEAOF");
                Thread.Sleep(random.Next(RunMsMax / 4));
            }

            server.Kill();
            foreach (Thread thread in threads)
                thread.Join();
            foreach (Client client in clients)
                client.IsPostponable = policy == "everysec";
        }

        Assert.True(clients.Sum(client => client.Count) > 0, "something was written");
    }

    public void Dispose() => _directory.Delete(recursive: true);

    /// <summary>One that counts what was acknowledged.</summary>
    private sealed class Client(int number)
    {
        private readonly string _counter = $"counter{number}";
        private readonly string _first = $"first{number}";
        private readonly string _second = $"second{number}";
        private readonly string _text = $"text{number}";
        private long _units;

        internal long Count { get; private set; }

        internal bool IsPostponable { get; set; }

        internal void Run(StoredServer server)
        {
            try
            {
                using RespClient client = server.Connect();
                while (true)
                {
                    client.Call("INCR", _counter);
                    Count++;
                    client.Call("MULTI");
                    client.Call("INCR", _first);
                    client.Call("SELECT", "1");
                    client.Call("INCR", _second);
                    client.Call("SELECT", "0");
                    if (Count % 16 == 0)
                        client.Call("SET", _text, new string((char)('a' + (Count % 26)), 100_000));
                    Assert.Equal('*', client.Call("EXEC").Kind);
                    _units++;
                }
            }
            catch (Exception fault) when (
                fault is IOException or SocketException or InvalidOperationException)
            {
                // It was killed.
            }
        }

        internal void Check(StoredServer server)
        {
            using RespClient client = server.Connect();
            Count = CheckCount(Count, client.Call("GET", _counter));
            long first = CheckCount(_units, client.Call("GET", _first));
            client.Call("SELECT", "1");
            Assert.Equal(first, Number(client.Call("GET", _second)));
            _units = first;
            client.Call("SELECT", "0");
            Assert.True(client.Call("GET", _text).Text.Distinct().Count() <= 1, "a value is whole");
        }

        private long CheckCount(long acknowledged, RespValue value)
        {
            long found = Number(value);
            Assert.True(found <= acknowledged + 1, $"{found} of {acknowledged}: never sent");
            Assert.True(IsPostponable || found >= acknowledged, $"{found} of {acknowledged}: lost");
            return found;
        }

        private static long Number(RespValue value) =>
            long.TryParse(value.Text, CultureInfo.InvariantCulture, out long number) ? number : 0;
    }
}
