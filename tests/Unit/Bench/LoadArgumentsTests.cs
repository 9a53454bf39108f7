using System.Linq;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class LoadArgumentsTests
{
    [Fact]
    public void ReadsMemtiersCommandLine()
    {
        LoadOptions options = LoadArguments.Parse("-t", "8", "-c", "16", "--test-time=30",
            "--distinct-client-seed", "-d", "256", "--pipeline=30", "--key-prefix=memtier-",
            "--key-width", "0", "--key-maximum", "10000000", "--ratio=1:5", "--key-pattern", "S:G",
            "--key-stddev=1000", "--key-median=5", "-P", "resp3", "-a", "me:secret", "--select-db=3");
        Assert.Equal((8, 16, 30, 30.0), (options.ThreadCount, options.ClientCount, options.Depth,
            options.Seconds));
        Assert.Equal((256, true), (options.Data.Maximum, options.Data.IsFixed));
        Assert.Equal([(1, KeyPattern.Sequential), (5, KeyPattern.Gaussian)],
            options.Commands.Select(command => (command.Weight, command.Pattern)));
        Assert.Equal(new KeySpace
        {
            Prefix = "memtier-",
            Width = 0,
            Maximum = 10_000_000,
            StandardDeviation = 1000,
            Median = 5,
        }, options.Keys);
        Assert.Equal(new SessionOptions { User = "me", Password = "secret", Database = 3, IsResp3 = true },
            options.Session);
    }

    [Fact]
    public void ReadsRedisBenchmarksCommandLine()
    {
        LoadOptions options = LoadArguments.Parse("-h", "example", "-p", "7000", "-a", "secret", "-r", "1000",
            "-n", "500", "-P", "16", "-3", "--dbnum", "2", "lpush", "mylist", "-3", "__rand_int__");
        Assert.Equal(new ServerAddress("example", 7000), options.Server);
        Assert.Equal((500, 16, null), (options.RequestCount, options.Depth, options.Seconds));
        Assert.Equal((0, 999), (options.Keys.Minimum, options.Keys.Maximum));
        Assert.Equal(["lpush", "mylist", "-3", "__rand_int__"], Assert.Single(options.Commands).Words);
        Assert.True(options.Session.IsResp3);
    }

    [Fact]
    public void CommandsHaveRatiosAndPatterns()
    {
        LoadOptions options = LoadArguments.Parse("--command", "incr __key__", "--command-ratio=3",
            "--command-key-pattern=Z", "--command=ping", "--requests=allkeys");
        Assert.Equal(["INCR", "PING"], options.Commands.Select(command => command.Name));
        Assert.Equal([(3, KeyPattern.Zipfian), (1, KeyPattern.Random)],
            options.Commands.Select(command => (command.Weight, command.Pattern)));
        Assert.True(options.IsEachKeyOnce);
    }

    [Fact]
    public void AddressesComeInManyForms()
    {
        Assert.Equal("/run/redis.sock", LoadArguments.Parse("-s", "/run/redis.sock").Server.UnixSocket);
        Assert.Equal(new ServerAddress("name"), LoadArguments.Parse("-s", "name").Server);
        LoadOptions options = LoadArguments.Parse("-u", "redis://u:p%40@h:1/4");
        Assert.Equal(new ServerAddress("h", 1), options.Server);
        Assert.Equal(new SessionOptions { User = "u", Password = "p@", Database = 4 }, options.Session);
        Assert.Equal(new ServerAddress("::1", 7000), ServerAddress.Parse("[::1]:7000"));
        Assert.Equal(new ServerAddress("::1"), ServerAddress.Parse("::1"));
        Assert.Equal(new ServerAddress("h"), ServerAddress.Parse("h"));
    }

    [Fact]
    public void SizesComeInManyForms()
    {
        Assert.Equal("5-10", LoadArguments.Parse("--data-size-range=5-10").Data.Text);
        Assert.Equal("32:50,1024:5", LoadArguments.Parse("--data-size-list=32:50,1024:5").Data.Text);
    }

    [Fact]
    public void WithoutALimitALoadTakesTenSeconds()
    {
        Assert.Equal(10, LoadArguments.Parse().Seconds);
        Assert.Null(LoadArguments.Parse("-n", "5").Seconds);
        LoadOptions both = LoadArguments.Parse("-n", "5", "--test-time", "0.5");
        Assert.Equal((0.5, 5L), (both.Seconds, both.RequestCount));
    }

    [Theory]
    [InlineData("unknown option", "--no-such")]
    [InlineData("needs a value", "--threads")]
    [InlineData("-t: a number from 1", "-t", "0")]
    [InlineData("-c: a whole number", "-c", "many")]
    [InlineData("-P: the protocols", "-P", "memcache")]
    [InlineData("--test-time: a number above 0", "--test-time", "-1")]
    [InlineData("--ratio is 0", "--ratio", "0:0")]
    [InlineData("two numbers with a :", "--ratio", "5")]
    [InlineData("patterns of keys", "--key-pattern", "R:X")]
    [InlineData("--key-pattern is like", "--key-pattern", "R")]
    [InlineData("stands behind", "--command-ratio", "5")]
    [InlineData("a quote is not closed", "--command", "set 'a")]
    [InlineData("largest key is below", "--key-minimum", "5", "--key-maximum", "4")]
    [InlineData("outside the keys", "--key-median", "5000000")]
    [InlineData("no sizes of data", "--data-size-range", "10-5")]
    [InlineData("no sizes of data", "-d", "2000000000")]
    [InlineData("no sizes of data", "--data-size-list", "10:0")]
    [InlineData("open loop", "--rate", "10", "--rate-limiting", "10")]
    [InlineData("no address", "-u", "http://h")]
    public void MistakesAreNamed(string message, params string[] args)
    {
        var failure = Assert.Throws<LoadException>(() => LoadArguments.Parse(args));
        Assert.Contains(message, failure.Message);
    }

    [Fact]
    public void ServersAreCommandsOrAddresses()
    {
        ServerSpec started = ServerSpec.Parse("my=server --port {port} --save ''");
        Assert.Equal(["server", "--port", "7", "--save", ""], started.Words(7, "/socket"));
        Assert.False(started.HasSocket);
        ServerSpec both = ServerSpec.Parse("my=server {port} --unixsocket {socket}");
        Assert.Equal(["server", "7", "--unixsocket", "/socket"], both.Words(7, "/socket"));
        Assert.True(both.HasSocket);
        Assert.Equal(new ServerAddress("h", 1), ServerSpec.Parse("x@h:1").Address);
        Assert.Equal("/s=1", ServerSpec.Parse("x@/s=1").Address?.UnixSocket);
        Assert.Throws<LoadException>(() => ServerSpec.Parse("redis-server"));
        Assert.Throws<LoadException>(() => ServerSpec.Parse("my=server"));
        Assert.Throws<LoadException>(() => ServerSpec.Parse("x@h:port"));
    }
}
