using System.Linq;
using Cinnabar.Bench;
using Cinnabar.Load;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class BenchOptionsTests
{
    [Fact]
    public void ASuiteHasOptionsOfItsOwn()
    {
        BenchOptions options = BenchOptions.Parse(["--root", "/r", "pipeline", "stall", "--quick",
            "--seconds=2", "--keys", "100", "--load-cores", "3", "--reserve", "--servers", "redis,cinnabar"]);
        Assert.True(options.IsReserving);
        Assert.Equal(["pipeline", "stall"], options.Suites);
        Assert.Null(options.Load);
        Assert.Equal((true, 2.0, 100L, 3), (options.IsQuick, options.Seconds, options.KeyCount,
            options.LoadCores!.Single()));
        Assert.Equal(["redis", "cinnabar"], options.ServersOr("floor").Select(server => server.Name));
    }

    [Fact]
    public void AnotherBinaryIsMeasuredBesideThoseOfTheSuite()
    {
        BenchOptions options = BenchOptions.Parse(["figures", "--also", "old=/bin/old-server", "--also",
            "other=other --listen {port}", "--rate", "1000"]);
        var servers = options.ServersOr("redis,cinnabar");
        Assert.Equal(["redis", "cinnabar", "old", "other"], servers.Select(server => server.Name));
        Assert.Equal(["/bin/old-server", "--port", "{port}", "--unixsocket", "{socket}"], servers[2].Command);
        Assert.Equal(["other", "--listen", "{port}"], servers[3].Command);
        Assert.Equal(1000, options.InsertRate);
    }

    [Fact]
    public void ALoadHasTheFamiliarOnes()
    {
        BenchOptions options = BenchOptions.Parse(["load", "--server", "redis", "-c", "5", "-x", "3",
            "--server", "a=b, {port}", "--load-cores=1", "--json", "f", "incr", "--server"]);
        Assert.Empty(options.Suites);
        Assert.Equal((3, "f"), (options.Rounds, options.JsonPath));
        Assert.Equal(["redis", "a"], options.ServersOr("floor").Select(server => server.Name));
        LoadOptions load = options.Load!.ToOptions();
        Assert.Equal((5, 1), (load.ClientCount, load.Cores.Single()));
        Assert.Equal(["incr", "--server"], load.Commands.Single().Words);
    }

    [Theory]
    [InlineData("unknown option --bogus", "pipeline", "--bogus", "5")]
    [InlineData("unknown option --bogus", "load", "--bogus", "5")]
    [InlineData("unknown option -c", "pipeline", "-c", "5")]
    [InlineData("--seconds needs a value", "pipeline", "--seconds")]
    [InlineData("--keys needs a number", "pipeline", "--keys", "many")]
    public void MistakesAreNamed(string message, params string[] args)
    {
        var failure = Assert.Throws<LoadException>(() => BenchOptions.Parse(args));
        Assert.Contains(message, failure.Message);
    }
}
