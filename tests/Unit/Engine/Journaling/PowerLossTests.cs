using System;
using System.Collections.Generic;
using Cinnabar.Engine.Journaling;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Journaling;

/// <summary>
/// A server writes, rewrites its append-only file, and loses power before every single operation of the disk,
/// which forgets and mixes up what was not flushed. It always starts again. With "always" nothing is lost
/// that was acknowledged, with "everysec" nothing that was when a flush began that has ended.
/// </summary>
public sealed class PowerLossTests
{
    private const int CommandCount = 24;
    private const int StepUs = 300_000;

    [Theory]
    [InlineData("always")]
    [InlineData("everysec")]
    public void APowerLossLosesNoMoreThanThePolicyAllows(string policy) => Seeded.Run(1, seed =>
    {
        foreach ((SimulatedFileSystem files, int durableCount) in Run(policy, seed))
            Check(files, durableCount);
    });

    [Theory]
    [InlineData("always")]
    [InlineData("everysec")]
    public void AKillLosesNothingThatWasWritten(string policy) => Seeded.Run(1, seed =>
    {
        var random = new RandomSource(seed);
        var files = new SimulatedFileSystem();
        var clock = new ManualClock();
        using TestServer server = Start(files, policy, clock);
        TestClient client = server.Connect();
        for (int count = 0; count < CommandCount; count++)
        {
            Write(server, client, count, ref random);
            Settle(server);
            if (random.NextBelow(4) == 0)
                Check(files.AfterKill(), count + 1);
        }
    });

    private static List<(SimulatedFileSystem Files, int DurableCount)> Run(string policy, ulong seed)
    {
        var random = new RandomSource(seed);
        var files = new SimulatedFileSystem();
        var clock = new ManualClock();
        var images = new List<(SimulatedFileSystem, int)>();
        (int acknowledged, int flushing, int flushed) = (0, 0, 0);
        using TestServer server = Start(files, policy, clock);
        TestClient client = server.Connect();
        RandomSource losses = new(seed + 1);
        files.Changing = (operation, path) =>
        {
            flushed = flushing;
            images.Add((files.AfterPowerLoss(ref losses), policy == "always" ? acknowledged : flushed));
            // What a flush of commands makes durable; that of another file makes none.
            if (operation == "flush" && path.EndsWith(".incr.aof", StringComparison.Ordinal))
                flushing = acknowledged;
            return true;
        };
        for (int count = 0; count < CommandCount; count++)
        {
            Write(server, client, count, ref random);
            for (int step = 0; step < 5; step++)
            {
                server.TurnLoop(0);
                server.StepSaver();
                acknowledged += client.Take().FindAll(reply => reply.Kind is ':' or '*').Count;
                clock.Advance((long)random.NextBelow(StepUs));
                if (random.NextBelow(2) == 0)
                    server.Engine.Data.Journal.Step();
            }
        }

        files.Changing = null;
        Settle(server);
        return images;
    }

    // One unit of commands, and perhaps a rewrite, whose reply counts as none.
    private static void Write(TestServer server, TestClient client, int count, ref RandomSource random)
    {
        if (random.NextBelow(8) == 0)
            server.Connect().Send("BGREWRITEAOF");
        string value = $"{count}";
        if (random.NextBelow(3) == 0)
        {
            client.Send("MULTI");
            client.Send("SET", $"first{count}", value);
            client.Send("SET", $"second{count}", value);
            client.Send("EXEC");
            server.TurnLoop(0);
        }
        else
        {
            client.Send("MSETNX", $"first{count}", value, $"second{count}", value);
        }
    }

    private static void Settle(TestServer server)
    {
        for (int step = 0; step < 4; step++)
        {
            server.Engine.Data.Journal.Step();
            server.Run();
        }
    }

    private static void Check(SimulatedFileSystem files, int durableCount)
    {
        using TestServer server = Start(files, "no", new ManualClock());
        TestClient client = server.Connect();
        for (int count = 0; count < durableCount; count++)
        {
            Assert.Equal($"{count}", client.Call("GET", $"first{count}").Text);
            Assert.Equal($"{count}", client.Call("GET", $"second{count}").Text);
        }
    }

    private static TestServer Start(SimulatedFileSystem files, string policy, ManualClock clock)
    {
        TestServer server = TestServer.On(files, clock, ("appendonly", "yes"), ("appendfsync", policy),
            ("aof-load-corrupt-tail-max-size", "1gb"));
        Assert.Null(server.Load());
        return server;
    }
}
