using System;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Access;

/// <summary>The directives of users, what INFO counts, and databases of rules.</summary>
public sealed class AccessDirectiveTests
{
    private const string NoDatabase = "-NOPERM No permissions to access database";

    [Fact]
    public void NewUsersHaveTheChannelsOfTheDirective()
    {
        using var server = new TestServer(configuration: ("acl-pubsub-default", "allchannels"));
        TestClient client = server.Connect();
        client.Run("ACL SETUSER all on");
        Assert.Equal("+OK", client.Run("CONFIG SET acl-pubsub-default resetchannels"));
        client.Run("ACL SETUSER none on");
        client.Run("ACL SETUSER all +get");
        Assert.Equal("*[$user all on &* -@all +get, $user default on nopass ~* &* +@all, "
            + "$user none on resetchannels -@all]", client.Run("ACL LIST"));
        Assert.Equal("+OK", client.Run("CONFIG SET acl-pubsub-default allchannels"));
        client.Run("ACL SETUSER none reset");
        client.Run("ACL SETUSER later on (+get)");
        Assert.Equal("$&*", $"{client.Run("ACL GETUSER none").Split("channels, ")[1].Split(',')[0]}");
        Assert.Contains("$user later on &* -@all (&* -@all +get)", client.Run("ACL LIST"));
    }

    [Fact]
    public void TheLogKeepsAsManyEntriesAsTheDirectiveSays()
    {
        using var server = new TestServer(configuration: ("acllog-max-len", "3"));
        TestClient client = server.Connect();
        for (int number = 0; number < 5; number++)
            client.Run($"AUTH user{number} wrong");
        Assert.Equal(3, client.Call("ACL", "LOG", "100").Items.Count);
        Assert.Contains("$user4", client.Call("ACL", "LOG", "1").ToString());
        Assert.Contains("$user2", client.Call("ACL", "LOG").Items[2].ToString());
        client.Run("CONFIG SET acllog-max-len 1");
        client.Run("AUTH user5 wrong");
        Assert.Contains("$user5", Assert.Single(client.Call("ACL", "LOG").Items).ToString());
        client.Run("CONFIG SET acllog-max-len 0");
        client.Run("AUTH user6 wrong");
        Assert.Equal("*", client.Run("ACL LOG"));
    }

    [Fact]
    public void InfoCountsEachReason()
    {
        using var server = new TestServer();
        TestClient admin = server.Connect();
        TestClient client = LogIn(server, admin, "~a &c +@all -get resetdbs db=0");
        client.Run("AUTH user wrong");
        client.Run("HELLO 3 AUTH nobody wrong");
        client.Run("GET a");
        client.Run("SET b 1");
        client.Run("SET c 1");
        client.Run("SET d 1");
        for (int count = 0; count < 4; count++)
            client.Run("PUBLISH other m");
        for (int count = 0; count < 5; count++)
            client.Run("SELECT 1");
        Assert.Equal((2, 1, 3, 4, 5), Counts(admin));
        Assert.Equal("+OK", admin.Run("CONFIG RESETSTAT"));
        Assert.Equal((0, 0, 0, 0, 0), Counts(admin));
    }

    /// <summary>MOVE and COPY need both databases, SELECT and SWAPDB those that they name, FLUSHALL
    /// all.</summary>
    [Theory]
    [InlineData("0,2", "0", "MOVE a 2", true)]
    [InlineData("0,2", "0", "MOVE a 1", false)]
    [InlineData("2", "0", "MOVE a 2", false)]
    [InlineData("2", "0", "COPY a b DB 2", false)]
    [InlineData("2", "0", "COPY a b", false)]
    [InlineData("0", "0", "COPY a b", true)]
    [InlineData("0,2", "0", "COPY a b REPLACE DB 2", true)]
    [InlineData("0", "0", "COPY a b REPLACE DB 2", false)]
    [InlineData("0,2", "0", "COPY a b db 2 DB 1", false)]
    [InlineData("1,2", "0", "SWAPDB 1 2", true)]
    [InlineData("1,2", "0", "SWAPDB 2 0", false)]
    [InlineData("1,2", "0", "SWAPDB 0 2", false)]
    [InlineData("1,2", "0", "SELECT 1", true)]
    [InlineData("1,2", "0", "SELECT 3", false)]
    [InlineData("0", "0", "FLUSHDB", true)]
    [InlineData("1", "0", "FLUSHDB", false)]
    [InlineData("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "0", "FLUSHALL", false)]
    [InlineData("1", "0", "DBSIZE", false)]
    [InlineData("1", "0", "WATCH a", false)]
    [InlineData("1", "0", "EVAL x 0", false)]
    [InlineData("1", "0", "ECHO text", true)]
    public void DatabasesThatACommandUsesMustBeAllowed(
        string allowed, string selected, string command, bool isAllowed)
    {
        using var server = new TestServer();
        TestClient admin = server.Connect();
        TestClient client = LogIn(server, admin, "~* +@all");
        client.Run("SELECT " + selected);
        client.Run("SET a 1");
        Assert.Equal("+OK", admin.Run($"ACL SETUSER user resetdbs db={allowed}"));
        string dryRun = admin.Run($"ACL DRYRUN user {command}");
        Assert.Equal(isAllowed, dryRun == "+OK");
        string direct = client.Run(command);
        Assert.Equal(!isAllowed, direct == NoDatabase);
        // A script itself needs the selected database.
        bool isDenied = !isAllowed || client.Run("DBSIZE") == NoDatabase;
        string words = string.Join("','", command.Split(' '));
        string scripted = client.Call("EVAL", $"return redis.pcall('{words}')", "0").ToString();
        Assert.Equal(isDenied,
            scripted.Contains("No permissions to access database", StringComparison.Ordinal));
        Assert.Equal("+OK", admin.Run("ACL SETUSER user alldbs"));
        Assert.NotEqual(NoDatabase, client.Run(command));
    }

    /// <summary>One selector must allow all of a command: the rights of two do not add up.</summary>
    [Fact]
    public void DatabasesAreThoseOfOneSelector()
    {
        using var server = new TestServer();
        TestClient admin = server.Connect();
        TestClient client = LogIn(server, admin,
            "~* +@all -set -move resetdbs db=0,1 (+set +move ~* resetdbs db=0)");
        Assert.Equal("+OK", client.Run("SET a 1"));
        const string denied = "-NOPERM this user has no permissions to run the ";
        Assert.StartsWith(denied + "'move'", client.Run("MOVE a 1"));
        Assert.Equal("+OK", client.Run("SELECT 1"));
        Assert.StartsWith(denied + "'set'", client.Run("SET a 1"));
        Assert.Equal("_", client.Run("GET a"));
    }

    /// <summary>Valkey's field, for users that may not use all databases.</summary>
    [Theory]
    [InlineData("~* &a +get", "$channels, $&a, $selectors, *]")]
    [InlineData("~* &a db=2,0,2 +get", "$channels, $&a, $databases, $db=0,2, $selectors, *]")]
    [InlineData("resetdbs", "$channels, $, $databases, $, $selectors, *]")]
    [InlineData("(~a resetdbs +get)", "$databases, $alldbs, $selectors, "
        + "*[*[$commands, $-@all +get, $keys, $~a, $channels, $, $databases, $]]]")]
    [InlineData("db=1 (~a +get)", "$databases, $db=1, $selectors, "
        + "*[*[$commands, $-@all +get, $keys, $~a, $channels, $, $databases, $alldbs]]]")]
    public void GetUserShowsDatabasesWhereTheyAreRestricted(string rules, string end)
    {
        using var server = new TestServer();
        TestClient admin = server.Connect();
        Assert.Equal("+OK", admin.Run("ACL SETUSER user " + rules));
        Assert.EndsWith(end, admin.Run("ACL GETUSER user"));
    }

    /// <summary>Where one selector allows the database and another the command, the command is what is
    /// denied.</summary>
    [Fact]
    public void ADeniedDatabaseSaysLess()
    {
        using var server = new TestServer();
        TestClient admin = server.Connect();
        TestClient client = LogIn(server, admin, "(~* +set db=0) (~* +get +select db=1)");
        const string denied = "-NOPERM this user has no permissions to run the ";
        Assert.StartsWith(denied + "'get'", client.Run("GET a"));
        Assert.StartsWith(denied + "'select'", client.Run("SELECT 2"));
        Assert.Equal("+OK", client.Run("SELECT 1"));
        Assert.StartsWith(denied + "'set'", client.Run("SET a 1"));
    }

    private static TestClient LogIn(TestServer server, TestClient admin, string rules)
    {
        Assert.Equal("+OK", admin.Run("ACL SETUSER user on >p " + rules));
        TestClient client = server.Connect();
        Assert.Equal("+OK", client.Run("AUTH user p"));
        return client;
    }

    private static (long Login, long Command, long Key, long Channel, long Database) Counts(TestClient admin)
    {
        string info = admin.Call("INFO", "stats").Text;
        return (Of("auth"), Of("cmd"), Of("key"), Of("channel"), Of("db"));

        long Of(string reason) => long.Parse(
            info.Split($"acl_access_denied_{reason}:")[1].Split('\r')[0], provider: null);
    }
}
