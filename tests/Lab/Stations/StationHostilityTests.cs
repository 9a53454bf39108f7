using System;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Lab.Stations;

/// <summary>Hostile input ends its connection, never the process.</summary>
[Collection(StationCollection.Name)]
public sealed class StationHostilityTests(StationRuns runs)
{
    /// <summary>Far more than anything here takes: it only ends a test that hangs.</summary>
    private const int HangMs = 300_000;

    private static readonly string[] s_noCommands =
    [
        "*x\r\n", "*\r\n", "*1x\r\n", "*99999999999\r\n", "*1\r\n:4\r\n", "*1\r\nPING\r\n", "*1\r\n\r\n",
        "*1\r\n$-1\r\n", "*1\r\n$x\r\n", "*1\r\n$\r\n", "*1\r\n$2147483647\r\n", "*1\r\n$99999999999\r\n",
        "*2\r\n$3\r\nGET\r\n*1\r\n",
    ];

    private static readonly string[] s_fragments =
    [
        "", "*", "*2", "*2\r", "*2\r\n", "*2\r\n$", "*2\r\n$3\r\nGE", "*2\r\n$3\r\nGET\r",
        "*2\r\n$3\r\nGET\r\n", "*1\r\n$16000000\r\nabc", "PIN", "\0",
    ];

    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void AMalformedCommandEndsTheConnection(string name)
    {
        foreach (string request in s_noCommands)
        {
            using RawClient client = new(runs.PortOf(name));
            client.Send(request);
            client.ReadToEnd();
        }

        runs.AssertServes(name);
    }

    /// <summary>A command's beginning, then the end or a reset.</summary>
    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void HalfCommandsAndVanishingClients(string name)
    {
        foreach (string fragment in s_fragments)
        {
            using RawClient ends = new(runs.PortOf(name));
            ends.Send("PING\r\n" + fragment);
            ends.EndSending();
            ends.ReadToEnd();
            using RawClient vanishes = new(runs.PortOf(name));
            vanishes.Send(string.Concat(Enumerable.Repeat("PING\r\n", 200)) + fragment);
            vanishes.Reset();
        }

        runs.AssertServes(name);
    }

    /// <summary>Replies that the client does not read are much longer than the commands; others are served
    /// meanwhile.
    /// </summary>
    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void AClientThatDoesNotRead(string name)
    {
        using RawClient client = new(runs.PortOf(name));
        string value = new('v', 1 << 20);
        client.Send($"*3\r\n$3\r\nSET\r\n$4\r\nlong\r\n${value.Length}\r\n{value}\r\n");
        Assert.Equal("+OK\r\n", client.ReadThrough("\r\n"));
        client.Send(string.Concat(Enumerable.Repeat("*2\r\n$3\r\nGET\r\n$4\r\nlong\r\n", 100)));
        runs.AssertServes(name);
        client.Reset();
        runs.AssertServes(name);
    }

    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void LinesWithoutEnd(string name)
    {
        foreach (string start in (string[])["x", "*1\r\n$5\r\n"])
        {
            using RawClient client = new(runs.PortOf(name));
            byte[] piece = new byte[1 << 20];
            piece.AsSpan().Fill((byte)'1');
            try
            {
                client.Send(start);
                for (int index = 0; index < 17; index++) client.Send(piece);
            }
            catch (SocketException)
            {
                continue; // Ended while we were sending: what is to be proved.
            }

            client.ReadToEnd();
        }

        runs.AssertServes(name);
    }

    [Theory]
    [MemberData(nameof(Station.Rows), MemberType = typeof(Station))]
    public void RandomBytes(string name) => Seeded.Run(1, seed =>
    {
        var random = new Random((int)(seed & int.MaxValue));
        string[] pieces =
            ["*", "$", "\r\n", "\r", "\n", "1", "2", "3", "-", "GET", "SET", "PING", "\0", "\xff", " "];
        for (int count = 0; count < 40; count++)
        {
            using RawClient client = new(runs.PortOf(name));
            client.Send(string.Concat(Enumerable.Range(0, random.Next(1, 60))
                .Select(_ => pieces[random.Next(pieces.Length)])));
            if (random.Next(2) == 0)
            {
                client.EndSending();
                client.ReadToEnd();
            }
        }

        runs.AssertServes(name);
    });

    /// <summary>One line when it is ready, one when it is asked to collect; SIGTERM ends it.</summary>
    [Theory]
    [MemberData(nameof(Station.ProgramRows), MemberType = typeof(Station))]
    public void Signals(string name)
    {
        using StationRun station = Station.Of(name).Start();
        using RawClient client = new(station.Port);
        client.Send("PING\r\n");
        Assert.Equal("+PONG\r\n", client.ReadThrough("\r\n"));
        station.Signal("USR1");
        long endMs = Environment.TickCount64 + HangMs;
        while (station.Output.Count(c => c == '\n') < 2 && Environment.TickCount64 < endMs) Thread.Sleep(10);
        Assert.Equal(0, station.Terminate());
        Assert.Matches("^.*: ready on 127\\.0\\.0\\.1:\\d+\ngc gen0=\\d+ gen1=\\d+ gen2=\\d+ "
            + "pauseMs=\\d+\\.\\d+ heapBytes=\\d+ collectedHeapBytes=\\d+\n$", station.Output);
    }
}
