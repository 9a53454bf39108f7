using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Cinnabar.Platform;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Unit.Persistence;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>Power is lost before every single operation of the disk while the files of a server change their
/// form: what they had before is never lost.</summary>
public sealed class SwitchPowerLossTests
{
    private const int LossesPerOperation = 4;

    private static readonly string s_directory = Directory.GetCurrentDirectory();

    private readonly ManualClock _clock = new();
    private readonly List<SimulatedFileSystem> _images = [];
    private SimulatedFileSystem _files = new();

    /// <summary>The single file of a server before Redis 7, which may begin with a snapshot of either magic,
    /// becomes the base.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData("REDIS0009")]
    [InlineData("VALKEY080")]
    public void ASingleFileIsUpgraded(string? magic) => Seeded.Run(1, seed =>
    {
        byte[] start = magic is not null ? new RdbFileBuilder(magic).String("a", "1").End()
            : Encoding.ASCII.GetBytes("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n");
        byte[] file = [.. start, .. "*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$1\r\n2\r\n"u8];
        _files = new SimulatedFileSystem();
        _files.Put(Path.Combine(s_directory, "appendonly.aof"), file);
        LosePower(seed);
        using (TestServer server = Start(_files))
        {
            AssertData(server, "1", "2");
            Assert.Contains(server.Log.Lines, static line => line.Contains(
                "Successfully migrated an old-style AOF", StringComparison.Ordinal));
            server.Connect().Run("BGREWRITEAOF");
            server.Settle(_clock);
        }

        Check("1", "2");
        Assert.Equal(["appendonly.aof.2.base.rdb", "appendonly.aof.2.incr.aof", "appendonly.aof.manifest"],
            _files.FilesIn(Path.Combine(s_directory, "appendonlydir")).Order(StringComparer.Ordinal));
        Assert.Empty(_files.FilesIn(s_directory));
    });

    /// <summary>Switched off and on again, the files of before count until the new ones are whole.</summary>
    [Fact]
    public void SwitchedOnAgainItNeverHasLess() => Seeded.Run(1, seed =>
    {
        _files = new SimulatedFileSystem();
        using (TestServer server = Start(_files))
        {
            TestClient client = server.Connect();
            client.Run("SET a 1");
            client.Run("SET b 2");
            server.Settle(_clock);
            LosePower(seed);
            Assert.Equal("+OK", client.Run("CONFIG SET appendonly no"));
            server.Settle(_clock);
            client.Run("SET c 3");
            Assert.Equal("+OK", client.Run("CONFIG SET appendonly yes"));
            server.Settle(_clock);
            Check("1", "2");
            // From here on what was written meanwhile is in the files, too.
            LosePower(seed + 1);
            client.Run("SET d 4");
            server.Settle(_clock);
            client.Run("BGREWRITEAOF");
            server.Settle(_clock);
            Check("1", "2", "3");
        }

        using TestServer last = Start(_files.AfterKill());
        Assert.Equal("$4", last.Connect().Run("GET d"));
    });

    /// <summary>A rewrite that has ended is not undone, also where nothing is deleted after it.</summary>
    [Fact]
    public void ARewriteThatHasEndedIsNotUndone() => Seeded.Run(1, seed =>
    {
        _files = new SimulatedFileSystem();
        using TestServer server = Start(_files, ("aof-disable-auto-gc", "yes"));
        server.Connect().Run("BGREWRITEAOF");
        server.Settle(_clock);
        var losses = new RandomSource(seed);
        for (int count = 0; count < 4 * LossesPerOperation; count++)
        {
            string manifest = Encoding.UTF8.GetString(_files.AfterPowerLoss(ref losses).Read(
                Path.Combine(s_directory, "appendonlydir", "appendonly.aof.manifest")));
            Assert.StartsWith("file appendonly.aof.2.base.rdb seq 2 type b\n", manifest,
                StringComparison.Ordinal);
        }
    });

    /// <summary>What a killed server had not flushed is durable once a server has started with it: clients
    /// have seen it.</summary>
    [Fact]
    public void WhatAStartHasLoadedIsDurable() => Seeded.Run(1, seed =>
    {
        _files = new SimulatedFileSystem();
        using (TestServer killed = Start(_files, ("appendfsync", "no")))
        {
            killed.Connect().Run("SET a 1");
            killed.Settle(_clock);
            _files = _files.AfterKill();
        }

        using TestServer server = Start(_files, ("appendfsync", "no"));
        AssertData(server, "1");
        var losses = new RandomSource(seed);
        for (int count = 0; count < 4 * LossesPerOperation; count++)
            _images.Add(_files.AfterPowerLoss(ref losses));
        Check("1");
    });

    private void LosePower(ulong seed)
    {
        var losses = new RandomSource(seed);
        _files.Changing = (_, _) =>
        {
            for (int count = 0; count < LossesPerOperation; count++)
                _images.Add(_files.AfterPowerLoss(ref losses));
            return true;
        };
    }

    // Of the values after the last one the disk may have any.
    private void Check(params ReadOnlySpan<string> values)
    {
        _files.Changing = null;
        Assert.NotEmpty(_images);
        foreach (SimulatedFileSystem image in _images)
        {
            using TestServer server = Start(image);
            AssertData(server, values);
        }

        _images.Clear();
    }

    private static void AssertData(TestServer server, params ReadOnlySpan<string> values)
    {
        TestClient client = server.Connect();
        for (int index = 0; index < values.Length; index++)
            Assert.Equal(values[index], client.Call("GET", $"{(char)('a' + index)}").Text);
    }

    private TestServer Start(
        SimulatedFileSystem files, params ReadOnlySpan<(string Directive, string Value)> configuration)
    {
        TestServer server = TestServer.On(files, _clock, [("appendonly", "yes"),
            ("appendfsync", "everysec"), ("aof-load-corrupt-tail-max-size", "1gb"),
            ("auto-aof-rewrite-percentage", "0"), .. configuration]);
        Exception? fault = server.Load();
        Assert.True(fault is null, $"it does not start: {string.Join('\n', server.Log.Lines)}");
        return server;
    }
}
