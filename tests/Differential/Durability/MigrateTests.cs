using System;
using System.Linq;
using Cinnabar.Tests.Differential.Journaling;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Durability;

/// <summary>MIGRATE to Debian's redis-server, and what it replies beside that one's own MIGRATE.</summary>
public sealed class MigrateTests : IDisposable
{
    private const int KeyCount = 60;

    private readonly OracleServer? _target;
    private readonly RespClient _there = null!;
    private readonly OwnServer _server;
    private readonly RespClient _here;
    private readonly string _port = "0";

    public MigrateTests()
    {
        // With this policy a record is in the file before its reply leaves.
        _server = new OwnServer(1, ("rdb-compatibility", "7.0"), ("enable-debug-command", "yes"),
            ("appendonly", "yes"), ("appendfsync", "always"));
        _here = _server.Connect();
        if (!OracleServer.IsInstalled)
            return;
        _target = OracleServer.Start("--enable-debug-command", "yes");
        _there = _target.Connect();
        _port = $"{_target.Port}";
    }

    public void Dispose()
    {
        _server.Dispose();
        if (_target is null)
            return;
        _there.Dispose();
        _target.Dispose();
    }

    [Fact]
    public void ValuesOfAllTypesArriveAndAreGoneHere()
    {
        SkipWithoutOracle();
        Seeded.Run(1, seed =>
        {
            var keys = new RandomKeys(new Random((int)seed));
            foreach (string[] words in keys.Commands(KeyCount))
                Assert.NotEqual('-', _here.Call(words).Kind);
            string digest = $"{_here.Call("DEBUG", "DIGEST")}";
            foreach (int database in keys.Made.Select(static made => made.Database).Distinct())
            {
                _here.Call("SELECT", $"{database}");
                string[] names =
                    [.. keys.Made.Where(made => made.Database == database).Select(static made => made.Key)];
                Assert.Equal("+OK", Migrate("", $"{database}", ["KEYS", .. names]));
                Assert.Equal(":0", $"{_here.Call("DBSIZE")}");
            }

            Assert.Equal(digest, $"{_there.Call("DEBUG", "DIGEST")}");
        });
    }

    /// <summary>Addresses are found as the C library finds them.</summary>
    [Theory]
    [InlineData("", "-IOERR error or timeout connecting to the client")]
    [InlineData("[::1]", "-IOERR error or timeout connecting to the client")]
    [InlineData("0", "+OK")]
    [InlineData("127.1", "+OK")]
    public void AHostIsFoundOrNot(string host, string reply)
    {
        SkipWithoutOracle();
        _here.Run("SET a 1");
        Assert.Equal(reply, $"{_here.Call("MIGRATE", host, _port, "a", "0", "300000", "COPY", "REPLACE")}");
        // Redis waits for itself in vain where it does find itself.
        if (!reply.StartsWith('-'))
            return;
        _there.Call("SET", "a", "1");
        Assert.Equal(reply,
            $"{_there.Call("MIGRATE", host, _port, "a", "9", "300000", "COPY", "REPLACE")}");
    }

    [Fact]
    public void TheRemovalIsRecorded()
    {
        SkipWithoutOracle();
        _here.Run("MSET a 1 b 2 c 3");
        using var file = new AppendedFile(_here);
        Assert.Equal([["mset", "a", "1", "b", "2", "c", "3"]], file.TakeCommands());
        Assert.Equal("+OK", Migrate("", "0", ["COPY", "KEYS", "a"]));
        Assert.Empty(file.TakeCommands());
        Assert.Equal("+OK", Migrate("", "0", ["REPLACE", "KEYS", "a", "none", "b"]));
        Assert.Equal([["del", "a", "b"]], file.TakeCommands());
    }

    [Fact]
    public void TheTimeToLiveGoesAlong()
    {
        SkipWithoutOracle();
        _here.Run("SET k v PX 500000");
        Assert.Equal("+OK", Migrate("k", "0", []));
        long leftMs = _there.Call("PTTL", "k").Integer;
        Assert.InRange(leftMs, 1, 500_000);
    }

    [Fact]
    public void RepliesAreRedisOwn()
    {
        SkipWithoutOracle();
        using OracleServer source = OracleServer.Start();
        using RespClient redis = source.Connect();
        string[][] commands =
        [
            ["k", "0", "5000"], ["k", "0", "5000"], ["k", "0", "5000", "COPY"],
            ["", "0", "5000", "KEYS", "none", "k"], ["", "0", "5000", "KEYS"], ["none", "0", "5000"],
            ["k", "0", "5000", "REPLACE", "COPY"], ["", "0", "5000", "REPLACE", "KEYS", "a", "k", "b"],
            ["k", "0", "5000", "KEYS", "k"], ["k", "x", "5000"], ["k", "0", "x"], ["k", "0", "5000", "more"],
            ["k", "0", "5000", "AUTH"], ["k", "0", "5000", "AUTH2", "name"], ["k", "99", "5000"],
            ["k", "0", "5000", "AUTH", "secret"], ["k", "0", "5000", "AUTH2", "nobody", "secret"],
            ["k", "0", "0", "REPLACE"], ["", "1", "5000", "REPLACE", "KEYS", "KEYS", "b"],
        ];
        foreach (string[] command in commands)
        {
            _there.Run("FLUSHALL");
            string expected = After(words => redis.Call(words), command);
            _there.Run("FLUSHALL");
            Assert.Equal(expected, After(words => _here.Call(words), command));
        }
    }

    [Fact]
    public void ATargetThatIsNotThereIsAnError()
    {
        _here.Run("SET k v");
        SkipWithoutOracle();
        using OracleServer source = OracleServer.Start();
        using RespClient redis = source.Connect();
        redis.Run("SET k v");
        string error = redis.Run("MIGRATE 127.0.0.1 1 k 0 1000");
        Assert.StartsWith("-IOERR ", error, StringComparison.Ordinal);
        Assert.Equal(error, _here.Run("MIGRATE 127.0.0.1 1 k 0 1000"));
        Assert.Equal("$v", _here.Run("GET k"));
    }

    [Fact]
    public void PasswordsAreSent()
    {
        SkipWithoutOracle();
        _here.Run("MSET a 1 b 2 c 3");
        _there.Run("ACL SETUSER mover on >word ~* +@all");
        _there.Run("CONFIG SET requirepass secret");
        Assert.StartsWith("-ERR Target instance replied with error: NOAUTH", Migrate("a", "0", []),
            StringComparison.Ordinal);
        Assert.StartsWith("-ERR Target instance replied with error: WRONGPASS",
            Migrate("a", "0", ["AUTH", "other"]), StringComparison.Ordinal);
        Assert.Equal("+OK", Migrate("a", "0", ["AUTH", "secret"]));
        Assert.Equal("+OK", Migrate("", "0", ["AUTH2", "mover", "word", "KEYS", "b", "c"]));
        Assert.Equal("*[$1, $2, $3]", _there.Run("MGET a b c"));
    }

    [Fact]
    public void AConnectionThatTheTargetHasClosedIsReplaced()
    {
        SkipWithoutOracle();
        _here.Run("MSET a 1 b 2");
        Assert.Equal("+OK", Migrate("a", "0", []));
        _there.Run("CLIENT KILL TYPE normal SKIPME yes");
        Assert.Equal("+OK", Migrate("b", "0", []));
        Assert.Equal("*[$1, $2]", _there.Run("MGET a b"));
    }

    private string After(Func<string[], RespValue> call, string[] command)
    {
        call(["MSET", "k", "v", "a", "1", "b", "2"]);
        _there.Run("SET b taken");
        RespValue first = call(["MIGRATE", "127.0.0.1", _port, .. command]);
        RespValue second = call(["MIGRATE", "127.0.0.1", _port, .. command]);
        return $"{first} {second} {call(["MGET", "k", "a", "b"])} {_there.Run("MGET k a b")}";
    }

    private string Migrate(string key, string database, string[] options) =>
        $"{_here.Call(["MIGRATE", "127.0.0.1", _port, key, database, "10000", .. options])}";

    private static void SkipWithoutOracle() =>
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
}
