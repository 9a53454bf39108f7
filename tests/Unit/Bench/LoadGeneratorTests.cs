using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

/// <summary>The load generator on real servers within this process.</summary>
public sealed class LoadGeneratorTests
{
    private const int StallMs = 300;
    private const long LongNs = 150_000_000;

    [Fact]
    public void AnOpenLoopShowsAStallAtItsLength()
    {
        using var server = new StallingServer(200, StallMs);
        using var generator = new LoadGenerator(Pings(server) with { Rate = 1000 });
        LoadResult result = generator.Run();
        Assert.Equal(1000, result.RequestCount);
        // The request that was due next waited for all of the stall but for a millisecond of its own, and
        // each that was due in its first half for half of it.
        Assert.InRange(result.Latency.MaxNs, (StallMs - 5) * 1_000_000L, long.MaxValue);
        Assert.InRange(result.Latency.CountFrom(LongNs), StallMs / 2 - 10, 1000);
        Assert.Equal(0, result.UnansweredCount);
    }

    [Fact]
    public void AClosedLoopDoesNot()
    {
        using var server = new StallingServer(200, StallMs);
        using var generator = new LoadGenerator(Pings(server));
        LoadResult result = generator.Run();
        Assert.Equal(1000, result.RequestCount);
        // One request a connection; some more where this machine pauses too.
        Assert.InRange(result.Latency.CountFrom(LongNs), 1, 100);
    }

    [Fact]
    public void WhatAnOpenLoopGaveUpCountsWithItsWait()
    {
        using var server = new StallingServer(100, Timeout.Infinite);
        using var generator = new LoadGenerator(Pings(server) with
        {
            Rate = 500,
            Seconds = 1,
            RequestCount = null,
            DrainSecondsMax = 0.2,
        });
        LoadResult result = generator.Run();
        Assert.InRange(result.RequestCount, 0, 100);
        Assert.InRange(result.RequestCount + result.UnansweredCount, 499, 501);
        Assert.InRange(result.Latency.MaxNs, 990_000_000, long.MaxValue);
        Assert.Contains(result.Warnings(), warning => warning.Contains("no answer"));
        Assert.Throws<LoadException>(() => generator.Run());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void KeysThatWereSetAreFound(bool isPortable)
    {
        using CinnabarServer server = Start();
        LoadOptions options = Options(server) with
        {
            Keys = new KeySpace { Minimum = 1, Maximum = 1003 },
            Data = DataSizes.Fixed(5000),
            ThreadCount = 2,
            ClientCount = 5,
            Depth = 7,
            RequestCount = 110,
            IsPortable = isPortable,
        };
        Assert.Equal(1003, LoadGenerator.Populate(options).RequestCount);
        using var link = new ServerLink(options.Server, options.Session);
        Assert.Equal("1003", link.Ask("DBSIZE"));
        using var generator = new LoadGenerator(options);
        for (int run = 0; run < 2; run++)
        {
            LoadResult result = generator.Run();
            Assert.Equal((1100, 0, 0), (result.RequestCount, result.ErrorCount, result.MissingCount));
            Assert.Equal([("SET", 100L), ("GET", 1000L)],
                result.Commands.Select(command => (command.Name, command.Latency.Count)));
            Assert.Equal(1100, result.Latency.Count);
            Assert.InRange(result.ReceivedBytes, 5_000_000, 5_100_000);
            Assert.Equal(2, result.Threads.Count);
        }
        link.Ask("FLUSHALL");
        Assert.InRange(generator.Run().MissingCount, 500, 1000);
    }

    [Fact]
    public void ErrorsAreCountedAndNamed()
    {
        using CinnabarServer server = Start();
        using var generator = new LoadGenerator(Options(server) with
        {
            Commands = [CommandTemplate.Parse("no-such __key__"), CommandTemplate.Parse("ping")],
            RequestCount = 10,
            ClientCount = 1,
        });
        LoadResult result = generator.Run();
        Assert.Equal((10, 5), (result.RequestCount, result.ErrorCount));
        Assert.Contains(result.Warnings(),
            warning => warning.Contains("5 errors, the first one: ERR unknown"));
    }

    [Fact]
    public void ASessionHasProtocolPasswordAndDatabase()
    {
        string path = Path.Combine(Path.GetTempPath(), $"cinnabar-{Guid.NewGuid():N}.sock");
        using CinnabarServer server = Start(new("requirepass", "secret"), new("unixsocket", path));
        var session = new SessionOptions { Password = "secret", Database = 3, IsResp3 = true };
        LoadOptions options = Options(server) with
        {
            Server = new ServerAddress(UnixSocket: path),
            Session = session,
            Keys = new KeySpace { Maximum = 49 },
            Commands = [CommandTemplate.Parse("get __key__:none")],
            RequestCount = 10,
        };
        LoadGenerator.Populate(options);
        using var link = new ServerLink(options.Server, session);
        Assert.Equal("50", link.Ask("DBSIZE"));
        Assert.Equal("OK", link.Ask("SELECT", "0"));
        Assert.Equal("0", link.Ask("DBSIZE"));
        LoadOptions noPassword = options with { Session = new() { Database = 1 } };
        Assert.Throws<LoadException>(() => new LoadGenerator(noPassword));
    }

    [Fact]
    public void ARefusedConnectionSaysSo()
    {
        var failure = Assert.Throws<LoadException>(() =>
            new LoadGenerator(new LoadOptions { Server = new ServerAddress("127.0.0.1", 1) }));
        Assert.Contains("127.0.0.1:1", failure.Message);
    }

    private static LoadOptions Pings(StallingServer server) => new()
    {
        Server = new ServerAddress("127.0.0.1", server.Port),
        Commands = [CommandTemplate.Parse("PING")],
        ClientCount = 4,
        RequestCount = 250,
        Seconds = null,
        StallSecondsMax = 600,
    };

    private static LoadOptions Options(CinnabarServer server) => new()
    {
        Server = new ServerAddress("127.0.0.1", server.Port),
        Seconds = null,
    };

    private static CinnabarServer Start(params KeyValuePair<string, string>[] directives) =>
        CinnabarServer.Start(new CinnabarServerOptions { Port = 0, LoopCount = 1, Directives = directives });
}
