using System;
using System.Collections.Generic;
using System.Reflection;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Catalog;
using Cinnabar.Engine.Configuration.Directives;
using Cinnabar.Engine.Configuration.Registry;
using Xunit;

namespace Cinnabar.Tests.Unit.Configuration;

public sealed class ConfigurationRegistryTests
{
    private readonly ConfigurationRegistry _registry = new();

    [Theory]
    [InlineData("hz", "abc", "argument couldn't be parsed into an integer")]
    [InlineData("hz", "1.5", "argument couldn't be parsed into an integer")]
    [InlineData("hz", "-1", "argument must be between 0 and 2147483647 inclusive")]
    [InlineData("timeout", "", "argument couldn't be parsed into an integer")]
    [InlineData("port", "70000", "argument must be between 0 and 65535 inclusive")]
    [InlineData("maxclients", "0", "argument must be between 1 and 4294967295 inclusive")]
    [InlineData("slowlog-log-slower-than", "-2",
        "argument must be between -1 and 9223372036854775807 inclusive")]
    [InlineData("repl-backlog-size", "0", "argument must be between 1 and 9223372036854775807 inclusive")]
    [InlineData("maxmemory", "1kk", "argument must be a memory value")]
    [InlineData("maxmemory", "10x", "argument must be a memory value")]
    [InlineData("maxmemory", "101%", "percentage argument must be less or equal to 100")]
    [InlineData("maxmemory", "1.5mb", "argument must be a memory value")]
    [InlineData("maxmemory", " 100", "argument must be a memory value")]
    [InlineData("maxmemory-clients", "500%", "percentage argument must be less or equal to 100")]
    [InlineData("maxmemory-clients", "-5", "argument must be a memory or percent value")]
    [InlineData("appendonly", "maybe", "argument must be 'yes' or 'no'")]
    [InlineData("appendfsync", "never", "argument(s) must be one of the following: everysec, always, no")]
    [InlineData("save", "100", "Invalid save parameters")]
    [InlineData("save", "0 10", "Invalid save parameters")]
    [InlineData("save", "100 -1", "Invalid save parameters")]
    [InlineData(
        "client-output-buffer-limit", "normal 0 0",
        "Wrong number of arguments in buffer limit configuration.")]
    [InlineData(
        "client-output-buffer-limit",
        "master 0 0 0",
        "Invalid client class specified in buffer limit configuration.")]
    [InlineData(
        "client-output-buffer-limit",
        "normal 0 0 -1",
        "Error in hard, soft or soft_seconds setting in buffer limit configuration.")]
    [InlineData("notify-keyspace-events", "XYZ", "Invalid event class character. Use 'Ag$lshzxeKEtmdnoc'.")]
    [InlineData("oom-score-adj-values", "1 2", "wrong number of arguments")]
    [InlineData(
        "oom-score-adj-values",
        "1 2 3000",
        "Invalid oom-score-adj-values, elements must be between -2000 and 2000.")]
    [InlineData(
        "latency-tracking-info-percentiles", "50 x", "Invalid latency-tracking-info-percentiles parameters")]
    [InlineData(
        "shutdown-on-sigterm", "save nosave",
        "shutdown options SAVE and NOSAVE can't be used simultaneously")]
    [InlineData(
        "shutdown-on-sigterm", "",
        "argument(s) must be one of the following: default, save, nosave, now, force")]
    [InlineData("proc-title-template", "{bad}", "template format is invalid or contains unknown variables")]
    [InlineData("databases", "5", "can't set immutable config")]
    [InlineData("dir", "/tmp", "can't set protected config")]
    public void SetAnswersTheErrorOfRedis(string name, string value, string error)
    {
        string before = _registry.TextOf(name);
        string expected = $"ERR CONFIG SET failed (possibly related to argument '{name}') - {error}";
        Assert.Equal(expected, Set(name, value));
        Assert.Equal(before, _registry.TextOf(name));
    }

    [Theory]
    [InlineData("hz", "1000", "500")]
    [InlineData("hz", "0", "1")]
    [InlineData("maxmemory", "1024kb", "1048576")]
    [InlineData("maxmemory", "1M", "1000000")]
    [InlineData("slot-migration-max-failover-repl-bytes", "-1", "-1")]
    [InlineData("maxmemory-clients", "5%", "5%")]
    [InlineData("maxmemory-clients", "0%", "0")]
    [InlineData("save", "", "")]
    [InlineData("save", "100 10", "100 10")]
    [InlineData("APPENDFSYNC", "ALWAYS", "always")]
    [InlineData("notify-keyspace-events", "KEA", "AKE")]
    [InlineData("notify-keyspace-events", "gxElsK", "glsxKE")]
    [InlineData("notify-keyspace-events", "KEmcnog", "gnocKEm")]
    [InlineData("notify-keyspace-events", "KEAmcno", "AnocKEm")]
    [InlineData("maxmemory", "75%", "75%")]
    [InlineData("latency-tracking-info-percentiles", "50.10 99.99", "50.1 99.99")]
    [InlineData("shutdown-on-sigterm", "now save", "save now")]
    [InlineData("bind", "", "")]
    [InlineData("lua-time-limit", "10", "10")]
    [InlineData("commandlog-execution-slower-than", "5", "5")]
    [InlineData(
        "client-output-buffer-limit",
        "normal 1mb 1mb 10 replica 0 0 0",
        "normal 1048576 1048576 10 slave 0 0 0 pubsub 33554432 8388608 60")]
    [InlineData(
        "client-output-buffer-limit",
        "normal 1 2 007 pubsub 3 4 +5",
        "normal 1 2 7 slave 268435456 67108864 60 pubsub 3 4 5")]
    public void SetThenGetIsCanonical(string name, string value, string expected)
    {
        Assert.Null(Set(name, value));
        Assert.Equal([new(name, expected)], _registry.Get([name]));
    }

    [Fact]
    public void AliasesShareOneValue()
    {
        Assert.Null(Set("slave-priority", "5", "replica-priority", "6"));
        Assert.Equal("6", _registry.TextOf("slave-priority"));
        Assert.Null(Set("commandlog-slow-execution-max-len", "9"));
        Assert.Equal(9, _registry.Settings.SlowLogLengthMax);
        Assert.Equal("9", _registry.TextOf("slowlog-max-len"));
    }

    [Fact]
    public void SetIsAllOrNothing()
    {
        Assert.Equal(
            "ERR CONFIG SET failed (possibly related to argument 'hz') - "
                + "argument couldn't be parsed into an integer",
            Set("timeout", "10", "hz", "abc"));
        Assert.Equal(0, _registry.Settings.ClientTimeoutSeconds);
        Assert.Equal(
            "ERR Unknown option or number of arguments for CONFIG SET - 'nope'",
            Set("timeout", "10", "nope", "5"));
        Assert.Equal(
            "ERR CONFIG SET failed (possibly related to argument 'timeout') - duplicate parameter",
            Set("timeout", "10", "timeout", "20"));
        Assert.Equal("0", _registry.TextOf("timeout"));
    }

    /// <summary>What may not be set at all is named as the client did; a wrong value's directive by its own
    /// name.</summary>
    [Theory]
    [InlineData("Databases", "5", "Databases", "can't set immutable config")]
    [InlineData("DIR", "/tmp", "DIR", "can't set protected config")]
    [InlineData("TimeOut", "x", "timeout", "argument couldn't be parsed into an integer")]
    [InlineData("SLAVE-PRIORITY", "x", "slave-priority", "argument couldn't be parsed into an integer")]
    public void ErrorsNameTheDirectiveAsRedisDoes(string given, string value, string named, string error) =>
        Assert.Equal($"ERR CONFIG SET failed (possibly related to argument '{named}') - {error}",
            Set(given, value));

    [Fact]
    public void SubscriberCanVeto()
    {
        List<int> seen = [];
        _registry.Subscribe("timeout", () =>
        {
            seen.Add(_registry.Settings.ClientTimeoutSeconds);
            return null;
        });
        _registry.Subscribe("port", () =>
            _registry.Settings.Port == 1 ? "Unable to listen on this port" : null);
        Assert.Equal(
            "ERR CONFIG SET failed (possibly related to argument 'port') - Unable to listen on this port",
            Set("timeout", "10", "port", "1"));
        Assert.Equal([10, 0], seen);
        Assert.Equal((0, 6379), (_registry.Settings.ClientTimeoutSeconds, _registry.Settings.Port));
        Assert.Null(Set("port", "2"));
        Assert.Equal(2, _registry.Settings.Port);
    }

    [Fact]
    public void GetTakesPatternsAndAnswersEachNameOnce()
    {
        List<string> names = [];
        string[] patterns = ["busy-reply-t*", "lua-time-limit", "*-time-limit", "[b]usy-reply-t*"];
        foreach ((string name, _) in _registry.Get(patterns))
            names.Add(name);
        names.Sort(StringComparer.Ordinal);
        Assert.Equal(["busy-reply-threshold", "lua-time-limit"], names);
        Assert.Empty(_registry.Get(["no-such-*", "nothing"]));
        Assert.Equal("use-exit-on-panic", Assert.Single(_registry.Get(["use-exit-on-panic"])).Key);
        Assert.Empty(_registry.Get(["*exit-on*"]));
        Assert.Equal(new("TIMEOUT", "0"), Assert.Single(_registry.Get(["TIMEOUT"])));
    }

    [Fact]
    public void ProtectedDirectivesOpenAsConfigured()
    {
        _registry.Override("enable-protected-configs", "local");
        KeyValuePair<string, string>[] pair = [new("dbfilename", "x.rdb")];
        Assert.Contains("can't set protected config", _registry.Set(pair, isLocalClient: false), default);
        Assert.Null(_registry.Set(pair, isLocalClient: true));
    }

    [Fact]
    public void DangerousValuesAreRefusedAtRunTimeAndAtStart()
    {
        Assert.Contains("can't set immutable config", Set("replicaof", "h 1"), StringComparison.Ordinal);
        Assert.Null(_registry.FindRefusal());
        foreach (string line in (string[])["cluster-enabled yes", "loadmodule /m.so"])
            AssertRefused(line);
    }

    [Fact]
    public void UsersStandInOneFile()
    {
        ConfigurationRegistry registry = new();
        Load(registry, "user bob on (+get ~x)");
        Load(registry, "user default on");
        Assert.Null(registry.FindRefusal());
        Assert.Equal(["bob", "on", "(+get", "~x)"], registry.UserLines[0]);
        Assert.Contains("Duplicate user found", registry.Load(["user", "bob"], new(1, "user bob")), default);
        Load(registry, "aclfile /a");
        Assert.Contains("but not both", registry.FindRefusal()!.Value.Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void DefaultsAreParsedToThemselvesAndSettingsBeginWithThem()
    {
        Settings fresh = new();
        foreach (Directive directive in ConfigurationCatalog.Create())
        {
            if (directive.Name == "replicaof")
                continue;
            string[] words = directive.Has(DirectiveFlags.MultipleArguments)
                ? directive.Default.Text.Split(' ')
                : [directive.Default.Text];
            Assert.Null(directive.Parse(words, directive.Default, false, out DirectiveValue value));
            Assert.Equal(directive.Default, value);
            _registry.Override(directive.Name, words);
        }
        foreach (PropertyInfo property in typeof(Settings).GetProperties())
            Assert.Equivalent(property.GetValue(fresh), property.GetValue(_registry.Settings), strict: true);
    }

    [Fact]
    public void IneffectiveChangesAreNamedOnce()
    {
        MemoryLog log = new();
        Load(_registry, "lazyfree-lazy-user-del yes");
        Load(_registry, "hz 20");
        Load(_registry, "rdbcompression yes");
        _registry.AttachLog(log);
        string line = Assert.Single(log.Lines);
        Assert.Contains("'lazyfree-lazy-user-del' has no effect yet", line, StringComparison.Ordinal);
        Assert.Null(Set("lazyfree-lazy-user-del", "no", "dynamic-hz", "no"));
        Assert.Equal(2, log.Lines.Count);
        Assert.Contains("'dynamic-hz' has no meaning here", log.Lines[1], StringComparison.Ordinal);
    }

    [Fact]
    public void LinesOfSaveAddUpAndForgottenDirectivesAreIgnored()
    {
        Load(_registry, "save \"100 10\"");
        Load(_registry, "save 200 20 300 30");
        Assert.Equal("100 10 200 20 300 30", _registry.TextOf("save"));
        Load(_registry, "save \"\"");
        Load(_registry, "save 5 6");
        Assert.Equal("5 6", _registry.TextOf("save"));
        Load(_registry, "lua-replicate-commands yes");
        Load(_registry, "rename-command FLUSHALL \"\"");
        Assert.Equal([new CommandRename("FLUSHALL", "")], _registry.CommandRenames);
        Assert.Equal(
            "Bad directive or wrong number of arguments",
            _registry.Load(["nonsense", "x"], new(1, "nonsense x")));
        Assert.Equal("wrong number of arguments", _registry.Load(["port"], new(1, "port")));
    }

    [Theory]
    [InlineData("", "3600 1 300 100 60 10000")]
    [InlineData("save", "")]
    [InlineData("save 60 1;save", "60 1")]
    [InlineData("save 60 1;save \"\"", "")]
    [InlineData("save;save 70 2", "70 2")]
    [InlineData("save 60 1;save;save 70 2", "60 1 70 2")]
    public void ALineOfSaveWithoutArgumentsForgetsTheDefaultOnly(string lines, string expected)
    {
        foreach (string line in lines.Split(';', StringSplitOptions.RemoveEmptyEntries))
            Load(_registry, line);
        Assert.Equal(expected, _registry.TextOf("save"));
    }

    /// <summary>Names of files and of a directory, in a configuration file: with the errors of
    /// Redis.</summary>
    [Theory]
    [InlineData("appenddirname", "a/b", "appenddirname can't be a path, just a dirname")]
    [InlineData("appenddirname", "/a", "appenddirname can't be a path, just a dirname")]
    [InlineData("appenddirname", "a\\b", "appenddirname can't be a path, just a dirname")]
    [InlineData("appenddirname", "", "appenddirname can't be empty")]
    [InlineData("appendfilename", "a/b", "appendfilename can't be a path, just a filename")]
    [InlineData("appendfilename", "a\\b", "appendfilename can't be a path, just a filename")]
    [InlineData("appendfilename", "", "appendfilename can't be empty")]
    [InlineData("dbfilename", "a/b", "dbfilename can't be a path, just a filename")]
    [InlineData("dir", "/no/such/directory", "No such file or directory")]
    public void NamesThatArePathsAreRefused(string name, string value, string error)
    {
        string before = _registry.TextOf(name);
        Assert.Equal(error, _registry.Load([name, value], new(1, $"{name} {value}")));
        Assert.Equal(before, _registry.TextOf(name));
        Assert.StartsWith($"ERR CONFIG SET failed (possibly related to argument '{name}') - can't set ",
            Set(name, value), StringComparison.Ordinal);
    }

    [Fact]
    public void DirectivesOfManyArgumentsMayHaveNone()
    {
        string limits = _registry.TextOf("client-output-buffer-limit");
        Load(_registry, "client-output-buffer-limit");
        Assert.Null(Set("client-output-buffer-limit", ""));
        Assert.Equal(limits, _registry.TextOf("client-output-buffer-limit"));
        Load(_registry, "latency-tracking-info-percentiles");
        Assert.Equal("", _registry.TextOf("latency-tracking-info-percentiles"));
        Load(_registry, "bind");
        Assert.Equal("", _registry.TextOf("bind"));
        Assert.Equal("argument(s) must be one of the following: default, save, nosave, now, force",
            _registry.Load(["shutdown-on-sigint"], new(1, "shutdown-on-sigint")));
        foreach (string name in (string[])["oom-score-adj-values", "replicaof", "port"])
            Assert.Equal("wrong number of arguments", _registry.Load([name], new(1, name)));
    }

    [Fact]
    public void DirectivesShownForAPatternCanBeSetOrAreKnownToRedis()
    {
        // Tools read all directives and write them back: fixed directives that they do not know are not
        // shown.
        string[] foreign =
        [
            "transport", "unixsocketgroup", "mptcp", "io-threads-do-reads", "rdma-rx-size", "hash-seed",
            "cluster-databases",
        ];
        List<KeyValuePair<string, string>> shown = _registry.Get(["*"]);
        foreach (string name in foreign)
        {
            Assert.DoesNotContain(shown, pair => pair.Key == name);
            Assert.Single(_registry.Get([name]));
        }
    }

    /// <summary>A client may ask with as many patterns as a command has arguments.</summary>
    [Fact]
    public void APatternThatMatchesNothingLeavesNoGarbageForEachName()
    {
        string[] patterns = new string[200];
        for (int index = 0; index < patterns.Length; index++)
            patterns[index] = $"nothing-{index}*";
        Assert.Empty(_registry.Get(patterns));
        long before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Empty(_registry.Get(patterns));
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 100_000);
    }

    private static void Load(ConfigurationRegistry registry, string line) =>
        Assert.Null(registry.Load(ConfigurationText.Split(line)!, new(1, line)));

    private static void AssertRefused(string line)
    {
        ConfigurationRegistry registry = new();
        Load(registry, line);
        Assert.Equal(line, registry.FindRefusal()?.Origin.Text);
    }

    private string? Set(params string[] words)
    {
        List<KeyValuePair<string, string>> pairs = [];
        for (int index = 0; index < words.Length; index += 2)
            pairs.Add(new(words[index], words[index + 1]));
        return _registry.Set(pairs, isLocalClient: false);
    }
}
