using System;
using System.IO;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Access;

/// <summary>A user gets what its rules say and no more: on every path, and after a change.</summary>
public sealed class AccessTests : IDisposable
{
    private const string NoCommand = "-NOPERM this user has no permissions to run the '{0}' command";
    private const string NoKey =
        "-NOPERM this user has no permissions to access one of the keys used as arguments";
    private const string NoChannel =
        "-NOPERM this user has no permissions to access one of the channels used as arguments";
    private const string NoDatabase = "-NOPERM No permissions to access database";

    private readonly string _file = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
    private readonly TestServer _server;
    private readonly TestClient _admin;
    private readonly TestClient _client;

    public AccessTests()
    {
        File.WriteAllText(_file, "user alice on nopass ~* &* +@all\n");
        _server = new TestServer(loopCount: 2, configuration: ("aclfile", _file));
        _admin = _server.Connect();
        _client = _server.Connect(loop: 1);
    }

    public void Dispose()
    {
        _server.Dispose();
        File.Delete(_file);
    }

    [Fact]
    public void CommandsAndKeysAreChecked()
    {
        LogIn("~a* %R~r* +@all -@dangerous -incr");
        Assert.Equal("+OK", _client.Run("SET a1 5"));
        Assert.Equal("$5", _client.Run("GET a1"));
        Assert.Equal(NoKey, _client.Run("GET b"));
        Assert.Equal("_", _client.Run("GET r"));
        Assert.Equal(NoKey, _client.Run("SET r 1"));
        Assert.Equal(NoKey, _client.Run("MSET a1 1 b 2"));
        Assert.Equal("$5", _client.Run("GET a1"));
        Assert.Equal(string.Format(null, NoCommand, "incr"), _client.Run("INCR a1"));
        Assert.Equal(string.Format(null, NoCommand, "config|get"), _client.Run("CONFIG GET port"));
        Assert.Equal("$user", _client.Run("ACL WHOAMI"));
        Assert.Equal(string.Format(null, NoCommand, "acl|setuser"), _client.Run("ACL SETUSER user +incr"));
        Assert.Contains(" user=user ", _admin.Run("CLIENT LIST"));
        Assert.Contains("acl_access_denied_key:3\r\n", _admin.Run("INFO stats"));
        Assert.Contains("acl_access_denied_cmd:3\r\n", _admin.Run("INFO stats"));
    }

    [Fact]
    public void AChangeHoldsForTheNextCommandOfALiveConnection()
    {
        LogIn("~* +@all");
        Assert.Equal("+OK", _client.Run("SET a 1"));
        // In one turn: the other loop has not been told yet.
        _admin.Send("ACL", "SETUSER", "user", "-get", "resetkeys", "~b*");
        _client.Send("GET", "a");
        _client.Send("SET", "a", "2");
        _client.Send("SET", "b", "2");
        _server.Run();
        Assert.Equal("+OK", _admin.Shown());
        Assert.Equal($"{string.Format(null, NoCommand, "get")} {NoKey} +OK", _client.Shown());
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user +@all ~*"));
        Assert.Equal("$1", _client.Run("GET a"));
    }

    [Fact]
    public void ATransactionIsCheckedAgainAtExec()
    {
        LogIn("~* +@all");
        Assert.Equal("+OK +QUEUED +QUEUED", Run("MULTI; SET a 1; GET a"));
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user -set"));
        Assert.Equal("*[-NOPERM ACLs rules changed between the moment the transaction was accumulated and "
            + "the EXEC call. This command is no longer allowed for the following reason: no permission "
            + "to execute the command or subcommand, _]", _client.Run("EXEC"));
        Assert.Equal("+OK " + string.Format(null, NoCommand, "set")
            + " -EXECABORT Transaction discarded because of previous errors.", Run("MULTI; SET a 1; EXEC"));
        Assert.Contains("$context, $multi, $object, $set, $username, $user", _admin.Run("ACL LOG"));
    }

    [Fact]
    public void AScriptMayDoWhatItsUserMay()
    {
        LogIn("~a* &c* +@all -del");
        Assert.StartsWith("-ERR The user executing the script can't run this command or subcommand ",
            Script("return redis.call('del', 'a')"));
        Assert.StartsWith("-ERR The user executing the script can't access at least one of the keys ",
            Script("return redis.call('get', 'b')"));
        Assert.StartsWith("-ERR The user executing the script can't publish to the channel mentioned ",
            Script("return redis.call('publish', 'b', 'm')"));
        Assert.Equal("+OK", Script("return redis.call('set', 'a', '1')"));
        Assert.Equal("*[:1, _, _]", Script("return {redis.acl_check_cmd('get', 'a'), "
            + "redis.acl_check_cmd('get', 'b'), redis.acl_check_cmd('del', 'a')}"));
        Assert.Contains("$count, :1, $reason, $command, $context, $lua, $object, $del",
            _admin.Run("ACL LOG"));
        Assert.Equal(NoKey, _client.Call("EVAL", "return 1", "1", "b").ToString());
    }

    [Fact]
    public void SubscriptionsThatAreNoLongerAllowedEnd()
    {
        LogIn("&news.* +@all");
        Assert.Equal(NoChannel, _client.Run("SUBSCRIBE news.1 other"));
        Assert.Equal(NoChannel, _client.Run("PSUBSCRIBE news.1*"));
        Assert.StartsWith("*[$psubscribe", _client.Run("PSUBSCRIBE news.*"));
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user &other"));
        Assert.False(_client.IsClosed);
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user resetchannels &other"));
        Assert.True(_client.IsClosed);
        Assert.Equal(":0", _admin.Run("PUBLISH news.1 m"));
    }

    [Fact]
    public void ADeletedUserIsDisconnected()
    {
        LogIn("~* +@all");
        _admin.Send("ACL", "DELUSER", "user", "nobody");
        _client.Send("SET", "a", "1");
        _server.Run();
        Assert.Equal(":1", _admin.Shown());
        Assert.True(_client.IsClosed);
        Assert.Equal("_", _admin.Run("GET a"));
        Assert.Equal("-ERR The 'default' user cannot be removed", _admin.Run("ACL DELUSER default"));
        TestClient other = LogInAs("other", "~* +@all");
        Assert.Equal(":1", other.Run("ACL DELUSER other"));
        Assert.True(other.IsClosed);
    }

    [Fact]
    public void ABlockedCommandThatIsNoLongerAllowedGetsNothing()
    {
        LogIn("~* +@all");
        _client.Send("BLPOP", "list", "0");
        _server.Run();
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user -blpop"));
        Assert.Equal(":1", _admin.Run("RPUSH list x"));
        Assert.Equal(string.Format(null, NoCommand, "blpop"), _client.Shown());
        Assert.Equal(":1", _admin.Run("LLEN list"));
        Assert.Equal("+PONG", _client.Run("PING"));
    }

    [Fact]
    public void DatabasesAreChecked()
    {
        LogIn("~* +@all resetdbs db=0,2");
        Assert.Equal("+OK", _client.Run("SET a 1"));
        Assert.Equal(NoDatabase, _client.Run("SELECT 1"));
        Assert.Equal(NoDatabase, _client.Run("MOVE a 1"));
        Assert.Equal(NoDatabase, _client.Run("COPY a b DB 1"));
        Assert.Equal(NoDatabase, _client.Run("SWAPDB 0 1"));
        Assert.Equal(NoDatabase, _client.Run("FLUSHALL"));
        Assert.Equal(":1", _client.Run("COPY a b DB 2"));
        Assert.Equal("+OK", _client.Run("SELECT 2"));
        Assert.Equal("$1", _client.Run("GET b"));
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user resetdbs db=0"));
        Assert.Equal(NoDatabase, _client.Run("GET b"));
        Assert.Equal(NoDatabase, _client.Run("FLUSHDB"));
        Assert.Equal("+PONG", _client.Run("PING"));
        Assert.Equal(NoDatabase, Script("return 1"));
        Assert.Equal("+OK", _client.Run("SELECT 0"));
        Assert.StartsWith("-ERR ACL failure in script: No permissions to access database",
            Script("redis.call('select', '2')"));
    }

    [Fact]
    public void SortReadsOtherKeysOnlyForWhoMayReadAll()
    {
        LogIn("~a* +@all");
        Assert.Equal("-ERR BY option of SORT denied due to insufficient ACL permissions.",
            _client.Run("SORT a BY w*"));
        Assert.Equal("-ERR GET option of SORT denied due to insufficient ACL permissions.",
            _client.Run("SORT a GET w*"));
        Assert.Equal("*", _client.Run("SORT a BY nosort"));
        Assert.Equal(NoKey, _client.Run("SORT a STORE b"));
        Assert.Equal("+OK +QUEUED *[-ERR GET option of SORT denied due to insufficient ACL permissions.]",
            Run("MULTI; SORT a GET w*; EXEC"));
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user (+sort %R~* ~a*)"));
        Assert.Equal("*", _client.Run("SORT a BY w*"));
    }

    [Fact]
    public void ABadFileChangesNothing()
    {
        Assert.Equal("+OK", _admin.Run("ACL SETUSER bob on nopass +@all"));
        File.WriteAllText(_file, "user alice on +nosuch\nuser alice on\n");
        Assert.Contains($"{_file}:1: Unknown command or category name in ACL.", _admin.Run("ACL LOAD"));
        Assert.Equal("*[$alice, $bob, $default]", _admin.Run("ACL USERS"));
        Assert.Equal("+OK", _admin.Run("ACL SAVE"));
        Assert.Equal("user alice on nopass ~* &* +@all\nuser bob on nopass resetchannels +@all\n"
            + "user default on nopass ~* &* +@all\n", File.ReadAllText(_file));
        TestClient bob = LogInAs("bob", "on");
        TestClient alice = LogInAs("alice", "on");
        File.WriteAllText(_file, "user alice on nopass ~a +@all\n");
        Assert.Equal("+OK", _admin.Run("ACL LOAD"));
        Assert.True(bob.IsClosed);
        Assert.Equal(NoKey, alice.Run("GET b"));
        Assert.Equal("*[$alice, $default]", _admin.Run("ACL USERS"));
    }

    [Fact]
    public void PasswordsLogIn()
    {
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user on >one >two +@all"));
        Assert.Equal("-WRONGPASS invalid username-password pair or user is disabled.",
            _client.Run("AUTH user three"));
        Assert.Equal("$default", _client.Run("ACL WHOAMI"));
        Assert.Equal("+OK", _client.Run("AUTH user two"));
        Assert.Equal("$user", _client.Run("ACL WHOAMI"));
        Assert.Equal("+RESET", _client.Run("RESET"));
        Assert.Equal("$default", _client.Run("ACL WHOAMI"));
        Assert.Contains("$reason, $auth, $context, $toplevel, $object, $AUTH, $username, $user",
            _admin.Run("ACL LOG"));
        Assert.Equal("+OK", _admin.Run("CONFIG SET requirepass secret"));
        Assert.Equal("$default", _client.Run("ACL WHOAMI"));
        TestClient late = _server.Connect();
        Assert.Equal("-NOAUTH Authentication required.", late.Run("PING"));
        Assert.Equal("+OK", _admin.Run("CONFIG SET requirepass "));
        Assert.Equal("+PONG", late.Run("PING"));
        Assert.Equal("+OK", _admin.Run("CONFIG SET requirepass again"));
        Assert.Equal("-NOAUTH Authentication required.", late.Run("PING"));
        Assert.Equal("+OK", late.Run("AUTH again"));
        Assert.Equal("+OK", _admin.Run("ACL SETUSER default off"));
        Assert.StartsWith("-WRONGPASS", late.Run("AUTH again"));
        Assert.StartsWith("-NOAUTH", _server.Connect().Run("PING"));
    }

    [Theory]
    [InlineData("ACL GETUSER hidden", "ACL GETUSER (redacted)")]
    [InlineData("ACL DELUSER hidden hidden", "ACL DELUSER (redacted) (redacted)")]
    [InlineData("AUTH hidden", "AUTH (redacted)")]
    [InlineData("AUTH user hidden", "AUTH (redacted) (redacted)")]
    [InlineData("AUTH user hidden-but-wrong", "AUTH (redacted) (redacted)")]
    [InlineData("HELLO 2 AUTH user hidden SETNAME x", "HELLO 2 AUTH (redacted) (redacted) SETNAME x")]
    [InlineData("HELLO 2 SETNAME x auth auth hidden", "HELLO 2 SETNAME x auth (redacted) (redacted)")]
    [InlineData("ACL SETUSER other on >hidden +@all",
        "ACL SETUSER (redacted) (redacted) (redacted) (redacted)")]
    [InlineData("ACL SETUSER other >hidden wrong-rule", "ACL SETUSER (redacted) (redacted) (redacted)")]
    [InlineData("MIGRATE h 1 k 0 1 COPY AUTH hidden KEYS auth",
        "MIGRATE h 1 k 0 1 COPY AUTH (redacted) KEYS auth")]
    [InlineData("MIGRATE h 1 k 0 1 auth2 auth hidden REPLACE",
        "MIGRATE h 1 k 0 1 auth2 (redacted) (redacted) REPLACE")]
    [InlineData("CONFIG SET requirepass hidden hz 10", "CONFIG SET requirepass (redacted) hz 10")]
    [InlineData("CONFIG SET MasterAuth hidden masteruser u",
        "CONFIG SET MasterAuth (redacted) masteruser (redacted)")]
    [InlineData("CONFIG SET tls-key-file-pass hidden tls-client-key-file-pass hidden",
        "CONFIG SET tls-key-file-pass (redacted) tls-client-key-file-pass (redacted)")]
    [InlineData("CONFIG SET requirepass hidden nosuch hidden-not",
        "CONFIG SET requirepass (redacted) nosuch hidden-not")]
    public void SecretsAreInNoLog(string command, string shown)
    {
        _admin.Run("ACL SETUSER user on >hidden +@all");
        Assert.Equal("+OK", _admin.Run("CONFIG SET slowlog-log-slower-than 0 "
            + "commandlog-request-larger-than 1 commandlog-reply-larger-than 1"));
        TestClient monitor = _server.Connect();
        Assert.Equal("+OK", monitor.Run("MONITOR"));
        _client.Run(command);
        string slow = $"*[${shown.Replace(" ", ", $")}]";
        // As in Redis, monitors see no command of administration.
        bool isMonitored = !command.StartsWith("ACL", StringComparison.Ordinal)
            && !command.StartsWith("CONFIG", StringComparison.Ordinal);
        string seen = monitor.Shown();
        if (isMonitored)
            Assert.EndsWith($" \"{shown.Replace(" ", "\" \"")}\"", seen);
        else
            Assert.Equal("", seen);
        foreach (string log in (string[])["slow", "large-request", "large-reply"])
            Assert.Contains(slow, _admin.Run($"COMMANDLOG GET -1 {log}"));
        Assert.Contains(slow, _admin.Run("SLOWLOG GET -1"));
        Assert.DoesNotContain("hidden", string.Concat(_server.Log.Lines));
    }

    private string Script(string body) => _client.Call("EVAL", body, "0").ToString();

    private string Run(string lines)
    {
        var replies = new System.Collections.Generic.List<string>();
        foreach (string line in lines.Split("; "))
            replies.Add(_client.Run(line));
        return string.Join(' ', replies);
    }

    private void LogIn(string rules)
    {
        Assert.Equal("+OK", _admin.Run("ACL SETUSER user on >p " + rules));
        Assert.Equal("+OK", _client.Run("AUTH user p"));
    }

    private TestClient LogInAs(string name, string rules)
    {
        Assert.Equal("+OK", _admin.Run($"ACL SETUSER {name} on >p {rules}"));
        TestClient client = _server.Connect(loop: 1);
        Assert.Equal("+OK", client.Run($"AUTH {name} p"));
        return client;
    }
}
