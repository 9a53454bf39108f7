using System;
using System.IO;
using Cinnabar.Persistence.Rdb.Reading;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Unit.Persistence;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>What a server that starts does with newer files (rdb-version-check).</summary>
public sealed class LoadVersionTests
{
    private const byte NewerType = 99;

    private readonly SimulatedFileSystem _files = new();

    [Theory]
    [InlineData("REDIS0014", "strict", "Can't handle RDB format version 14")]
    [InlineData("REDIS0014", "relaxed", null)]
    [InlineData("VALKEY081", "strict", "Can't handle RDB format version 81")]
    [InlineData("VALKEY081", "relaxed", null)]
    [InlineData("REDIS0013", "strict", null)]
    [InlineData("VALKEY080", "strict", null)]
    public void NewerVersionsAreLoadedWhereTheyMayBe(string magic, string check, string? error)
    {
        Put(new RdbFileBuilder(magic).String("a", "1").End());
        using TestServer server = TestServer.On(_files, new ManualClock(), ("rdb-version-check", check));
        Assert.Equal(error, server.Load()?.Message);
        if (error is null)
            Assert.Equal("$1", server.Connect().Run("GET a"));
    }

    /// <summary>A type that is not known ends the load, with its offset.</summary>
    [Fact]
    public void ANewerTypeIsRefused()
    {
        RdbFileBuilder file = new RdbFileBuilder("REDIS0014").String("a", "1");
        Put(file.Raw(NewerType).Text("b").Text("2").End());
        using TestServer server =
            TestServer.On(_files, new ManualClock(), ("rdb-version-check", "relaxed"));
        RdbFormatException fault = Assert.IsAssignableFrom<RdbFormatException>(server.Load());
        Assert.Equal($"Unknown RDB encoding type {NewerType}", fault.Message);
        Assert.Contains(server.Log.Lines, line => line.Contains(
            $"offset {fault.Offset} -> {fault.Message}", StringComparison.Ordinal));
    }

    private void Put(byte[] file) =>
        _files.Put(Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb"), file);
}
