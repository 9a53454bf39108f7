using System;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Lab.Fredis;

/// <summary>Hostile input ends its connection, never the process.</summary>
[Collection(FredisCollection.Name)]
public sealed class FredisHostilityTests(FredisServers servers)
{
    /// <summary>Far more than anything here takes: it only ends a test that hangs.</summary>
    private const int HangMs = 300_000;

    private static readonly string[] s_protocolErrors =
    [
        "*x\r\n", "*\r\n", "*+1\r\n", "*2147483648\r\n", "*99999999999999999999\r\n", "*1\r\n:4\r\n",
        "*1\r\nPING\r\n", "*1\r\n\r\n", "*1\r\n$-1\r\n", "*1\r\n$536870913\r\n", "*1\r\n$+4\r\n",
        "*1\r\n$\r\n",
        "*2\r\n$3\r\nGET\r\n$x\r\n", "GET \"a\r\n", "GET 'a'b\r\n", "GET \"a\\\"\r\n", "'\r\n",
    ];

    private static readonly string[] s_fragments =
    [
        "", "*", "*2", "*2\r", "*2\r\n", "*2\r\n$", "*2\r\n$3\r\nGE", "*2\r\n$3\r\nGET\r",
        "*2\r\n$3\r\nGET\r\n", "*1\r\n$536870912\r\n",
        "*2147483647\r\n$536870912\r\nabc", "*2147483647\r\n$1\r\na\r\n", "PIN", "\"",
    ];

    /// <summary>What is no request gets Redis's own text, and the connection ends.</summary>
    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void ProtocolErrors(string io)
    {
        int redis = servers.RequireOracle();
        foreach (string request in s_protocolErrors)
        {
            string expected = AnswersToTheEnd(redis, "PING\r\n" + request);
            Assert.StartsWith("+PONG\r\n-ERR Protocol error: ", expected, StringComparison.Ordinal);
            Assert.Equal(expected, AnswersToTheEnd(servers.PortOf(io), "PING\r\n" + request));
        }
        servers.AssertServes(io);
    }

    /// <summary>A request's beginning, then the end or a reset; announced memory is not given.</summary>
    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void FragmentsAndVanishingClients(string io)
    {
        foreach (string fragment in s_fragments)
        {
            using (RawClient ends = new(servers.PortOf(io)))
            {
                ends.Send("PING\r\n" + fragment);
                ends.EndSending();
                Assert.Equal("+PONG\r\n", ends.ReadToEnd());
            }
            using RawClient vanishes = new(servers.PortOf(io));
            vanishes.Send(string.Concat(Enumerable.Repeat("PING\r\n", 200)) + fragment);
            vanishes.Reset();
        }
        servers.AssertServes(io);
    }

    /// <summary>A line without an end is not kept for ever.</summary>
    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void LinesWithoutEnd(string io)
    {
        foreach (string start in (string[])["x", "*", "*1\r\n$"])
        {
            using RawClient client = new(servers.PortOf(io));
            try
            {
                client.Send(start + new string('1', 65_600));
            }
            catch (SocketException)
            {
                continue; // Ended while we were sending: what is to be proved.
            }
            string answer = client.ReadToEnd();
            // What is still unread at the end may cost the client the text, but not the end.
            if (answer.Length != 0)
                Assert.Matches("^-ERR Protocol error: too big (inline request|m?bulk count string)\r\n$",
                    answer);
        }
        servers.AssertServes(io);
    }

    /// <summary>Values that would be too long are refused before there is memory for them.</summary>
    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void TooLongValues(string io)
    {
        using RawClient client = new(servers.PortOf(io));
        client.Send("SETRANGE big 536870912 x\r\nSETRANGE big 9223372036854775807 x\r\n"
            + "SETBIT big 4294967296 1\r\n");
        Assert.Equal(
            "-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n"
                + "-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n"
                + "-ERR bit offset is not an integer or out of range\r\n",
            client.ReadThrough("of range\r\n"));
        servers.AssertServes(io);
    }

    /// <summary>Random bytes, some of which look like the protocol.</summary>
    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void RandomBytes(string io) => Seeded.Run(1, seed =>
    {
        var random = new Random((int)(seed & int.MaxValue));
        string[] pieces =
            ["*", "$", "\r\n", "\r", "\n", "1", "2", "3", "-", "GET", "\"", "'", "\\x", "\0", "\xff", " "];
        for (int count = 0; count < 60; count++)
        {
            using RawClient client = new(servers.PortOf(io));
            client.Send(string.Concat(Enumerable.Range(0, random.Next(1, 60))
                .Select(_ => pieces[random.Next(pieces.Length)])));
            if (random.Next(2) == 0)
            {
                client.EndSending();
                client.ReadToEnd();
            }
        }
        servers.AssertServes(io);
    });

    /// <summary>One line when it is ready, none later; SIGTERM ends it, with clients or without.</summary>
    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void SigtermEnds(string io)
    {
        using StationRun station = new("fredis", "--io", io);
        using RawClient client = new(station.Port);
        client.Send("PING\r\n");
        Assert.Equal("+PONG\r\n", client.ReadThrough("\r\n"));
        Assert.Equal(0, station.Terminate());
        Assert.Equal($"fredis-{io}: ready on 127.0.0.1:{station.Port}\n", station.Output);
    }

    /// <summary>SIGUSR1 collects the garbage and says so in one line.</summary>
    [Theory]
    [MemberData(nameof(FredisServers.Rows), MemberType = typeof(FredisServers))]
    public void SigusrCollects(string io)
    {
        using StationRun station = new("fredis", "--io", io);
        Assert.NotEqual(0, station.Port);
        station.Signal("USR1");
        long endMs = Environment.TickCount64 + HangMs;
        while (station.Output.Count(static c => c == '\n') < 2 && Environment.TickCount64 < endMs)
            Thread.Sleep(10);
        Assert.Matches("\ngc gen0=\\d+ gen1=\\d+ gen2=\\d+ pauseMs=\\d+\\.\\d+ heapBytes=\\d+ "
            + "collectedHeapBytes=\\d+\n$", station.Output);
        Assert.Equal(0, station.Terminate());
    }

    private static string AnswersToTheEnd(int port, string request)
    {
        using RawClient client = new(port);
        client.Send(request);
        return client.ReadToEnd();
    }
}
