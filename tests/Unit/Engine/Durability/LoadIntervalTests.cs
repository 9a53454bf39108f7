using System.IO;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Cinnabar.Tests.Support.Files;
using Cinnabar.Tests.Unit.Persistence;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Durability;

/// <summary>How much of a file is read at a time (loading-process-events-interval-bytes).</summary>
public sealed class LoadIntervalTests
{
    private const int KeyCount = 3000;

    [Theory]
    [InlineData("1024", 64 << 10)]
    [InlineData("100000", 100_000)]
    [InlineData("2097152", 1 << 20)]
    public void TheIntervalSaysHowMuchIsReadAtATime(string interval, int expected)
    {
        var builder = new RdbFileBuilder();
        for (int key = 0; key < KeyCount; key++)
            builder.String($"key:{key}", new string('x', 50));
        var files = new SimulatedFileSystem();
        files.Put(Path.Combine(Directory.GetCurrentDirectory(), "dump.rdb"), builder.End());
        using TestServer server = TestServer.On(
            files, new ManualClock(), ("loading-process-events-interval-bytes", interval));
        server.Engine.Loading.Prepare();
        server.Engine.Loading.Begin(Assert.Null);
        Assert.Equal($":{KeyCount}", server.Connect().Run("DBSIZE"));
        Assert.Equal(expected, files.ReadBytesMax);
    }
}
