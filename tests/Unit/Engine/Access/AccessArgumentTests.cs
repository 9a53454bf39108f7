using System;
using System.Linq;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Access;

/// <summary>The keys and databases that arguments name are checked, wherever they stand.</summary>
public sealed class AccessArgumentTests : IDisposable
{
    private const string NoKey =
        "-NOPERM this user has no permissions to access one of the keys used as arguments";
    private const string NoDatabase = "-NOPERM No permissions to access database";

    private readonly TestServer _server = new();
    private readonly TestClient _admin;
    private readonly TestClient _client;

    public AccessArgumentTests()
    {
        _admin = _server.Connect();
        _client = _server.Connect();
    }

    public void Dispose() => _server.Dispose();

    [Theory]
    [InlineData("KEYS other KEYS a", false)]
    [InlineData("KEYS a KEYS other", false)]
    [InlineData("AUTH KEYS KEYS other KEYS a", false)]
    [InlineData("AUTH2 KEYS KEYS KEYS other KEYS", false)]
    [InlineData("KEYS a KEYS a", true)]
    [InlineData("AUTH KEYS KEYS a KEYS", true)]
    [InlineData("AUTH2 KEYS other KEYS KEYS a", true)]
    public void MigrateMovesOnlyKeysThatAreAllowed(string rest, bool isAllowed)
    {
        LogIn("+@all ~a ~KEYS");
        string[] words = ["MIGRATE", "localhost", "1", "", "0", "1", .. rest.Split(' ')];
        Check(words, isAllowed);
    }

    [Theory]
    [InlineData("XREADGROUP COUNT 1 GROUP streams c STREAMS a >", true)]
    [InlineData("XREADGROUP COUNT 1 GROUP streams other STREAMS a >", true)]
    [InlineData("XREADGROUP NOACK GROUP g streams STREAMS a >", true)]
    [InlineData("XREADGROUP COUNT 1 GROUP streams a STREAMS other >", false)]
    public void TheKeysOfXreadgroupFollowItsKeywordNotANameThatLooksLikeIt(string command, bool isAllowed)
    {
        LogIn("+@all ~a");
        Check(command.Split(' '), isAllowed);
    }

    [Theory]
    [InlineData("GEORADIUS g 0 0 1 km STORE a STORE other", false)]
    [InlineData("GEORADIUS g 0 0 1 km STORE other STORE a", false)]
    [InlineData("GEORADIUS g 0 0 1 km STOREDIST a STORE a storedist other", false)]
    [InlineData("GEORADIUSBYMEMBER g m 1 km STORE a STORE other", false)]
    [InlineData("GEORADIUS g 0 0 1 km STORE a STORE a", true)]
    [InlineData("GEORADIUSBYMEMBER g m 1 km ASC STORE a STOREDIST a", true)]
    public void GeoradiusWritesOnlyToDestinationsThatAreAllowed(string command, bool isAllowed)
    {
        _admin.Run("GEOADD g 0 0 m");
        LogIn("+@all ~a %R~g");
        Check(command.Split(' '), isAllowed);
        Assert.Equal("_", _admin.Run("GET other"));
    }

    [Theory]
    [InlineData("SELECT 2", "2")]
    [InlineData("MOVE a 2", "2")]
    [InlineData("SWAPDB 2 0", "2")]
    [InlineData("SWAPDB 0 2", "2")]
    [InlineData("COPY a b DB 2", "2")]
    [InlineData("COPY a b REPLACE DB 1 DB 2", "2")]
    [InlineData("FLUSHALL", "flushall")]
    public void ADeniedDatabaseIsNamed(string command, string name)
    {
        LogIn("+@all ~* db=0,1");
        Assert.Equal(NoDatabase, _client.Run(command));
        Assert.Contains($"$reason, $database, $context, $toplevel, $object, ${name},", _admin.Run("ACL LOG"));
        Assert.Equal($"$This user has no permissions to access database {name}",
            _admin.Run("ACL DRYRUN user " + command), ignoreCase: true);
    }

    /// <summary>A database that does not exist is no matter of rules.</summary>
    [Theory]
    [InlineData("SELECT 16")]
    [InlineData("SELECT -1")]
    [InlineData("MOVE a 16")]
    [InlineData("COPY a b DB 16")]
    [InlineData("SWAPDB 0 16")]
    [InlineData("SWAPDB 2 16")]
    public void AMissingDatabaseIsOutOfRange(string command)
    {
        LogIn("+@all ~* db=0,1");
        Assert.Equal("-ERR DB index is out of range", _client.Run(command));
        Assert.Equal("+OK", _admin.Run("ACL DRYRUN user " + command));
    }

    /// <summary>It would say whether a key of the database changes.</summary>
    [Fact]
    public void WatchNeedsTheDatabase()
    {
        LogIn("+@all ~* db=1");
        Assert.Equal(NoDatabase, _client.Run("WATCH a"));
        Assert.Equal("+OK +OK", $"{_client.Run("SELECT 1")} {_client.Run("WATCH a")}");
    }

    [Fact]
    public void QueuedCommandsAreCheckedForTheDatabaseThatIsSelectedThen()
    {
        LogIn("(db=0,1 +@all -get ~*) (db=2,3 +@all -set ~*)");
        string[] lines = ["MULTI", "SET a 1", "SELECT 2", "GET b", "SELECT 0", "SET c 1"];
        Assert.Equal(["+OK", "+QUEUED", "+QUEUED", "+QUEUED", "+QUEUED", "+QUEUED"],
            lines.Select(line => _client.Run(line)));
        Assert.Equal("*[+OK, +OK, _, +OK, +OK]", _client.Run("EXEC"));
        Assert.Equal("+OK +QUEUED", $"{_client.Run("MULTI")} {_client.Run("SELECT 2")}");
        Assert.StartsWith("-NOPERM this user has no permissions to run the 'set'", _client.Run("SET a 2"));
        Assert.StartsWith("-EXECABORT", _client.Run("EXEC"));
        // The transaction has ended, and with it what it selected.
        Assert.Equal("+OK", _client.Run("SET a 2"));
    }

    [Theory]
    [InlineData("-1", "The provided database ID is out of range")]
    [InlineData("2147483648", "The provided database ID is out of range")]
    [InlineData("1,", "Syntax error")]
    [InlineData("x", "Syntax error")]
    public void AWrongDatabaseOfARuleIsAnError(string list, string reason) =>
        Assert.Equal($"-ERR Error in ACL SETUSER modifier 'db={list}': {reason}",
            _admin.Run($"ACL SETUSER user db={list}"));

    private void Check(string[] words, bool isAllowed)
    {
        string reply = _client.Call(words).ToString();
        string shown = _admin.Call(["ACL", "DRYRUN", "user", .. words]).ToString();
        if (isAllowed)
        {
            Assert.DoesNotContain("NOPERM", reply);
            Assert.Equal("+OK", shown);
        }
        else
        {
            Assert.Equal(NoKey, reply);
            Assert.Equal("$This user has no permissions to access the 'other' key", shown);
        }
    }

    private void LogIn(string rules)
    {
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user on >p " + rules));
        Assert.Equal("+OK", _client.Run("AUTH user p"));
    }
}
