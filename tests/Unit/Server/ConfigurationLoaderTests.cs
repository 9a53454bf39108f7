using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Server.Configuration;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

public sealed class ConfigurationLoaderTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("cinnabar-loader-").FullName;
    private readonly ConfigurationRegistry _registry =
        new() { RenameCheck = new CommandRenameCheck().Find, UserCheck = new UserLineCheck().Find };

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Theory]
    [InlineData("port 1\nbad directive here\n", 2, "bad directive here",
        "Bad directive or wrong number of arguments")]
    [InlineData("port", 1, "port", "wrong number of arguments")]
    [InlineData("port 1 2", 1, "port 1 2", "wrong number of arguments")]
    [InlineData("  PORT   x  ", 1, "PORT   x", "argument couldn't be parsed into an integer")]
    [InlineData("# a\n\nmaxmemory foo", 3, "maxmemory foo", "argument must be a memory value")]
    [InlineData("logfile \"a", 1, "logfile \"a", "Unbalanced quotes in configuration line")]
    [InlineData("user", 1, "user", "Bad directive or wrong number of arguments")]
    [InlineData("# c\nuser alice on foo", 2, "user alice on foo",
        "Error in user declaration 'foo': Syntax error")]
    [InlineData("user a on #zz", 1, "user a on #zz", "Error in user declaration '#zz': The password hash "
        + "must be exactly 64 characters and contain only lowercase hexadecimal characters")]
    [InlineData("user a on\nuser a on", 2, "user a on",
        "Error in user declaration 'a': Duplicate user found. A user can only be defined once in "
        + "config files")]
    [InlineData("user a on +nosuch\nport x", 2, "port x", "argument couldn't be parsed into an integer")]
    [InlineData("sentinel x", 1, "sentinel x", "sentinel directive while not in sentinel mode")]
    [InlineData("slaveof a", 1, "slaveof a", "wrong number of arguments")]
    [InlineData("databases 0", 1, "databases 0", "argument must be between 1 and 2147483647 inclusive")]
    [InlineData("dir /nonexistent", 1, "dir /nonexistent", "No such file or directory")]
    [InlineData("rename-command GET", 1, "rename-command GET", "Bad directive or wrong number of arguments")]
    [InlineData("rename-command FOO BAR", 1, "rename-command FOO BAR", "No such command in rename-command")]
    [InlineData("rename-command GET SET", 1, "rename-command GET SET", "Target command name already exists")]
    [InlineData("unixsocketperm -1", 1, "unixsocketperm -1", "argument must be between 0 and 777 inclusive")]
    [InlineData("unixsocketperm 8", 1, "unixsocketperm 8", "argument couldn't be parsed as an octal number")]
    [InlineData("unixsocketperm -", 1, "unixsocketperm -", "argument couldn't be parsed as an octal number")]
    [InlineData("rename-command GET get\nport x", 2, "port x", "argument couldn't be parsed into an integer")]
    [InlineData("include /nonexistent/*\nport x", 2, "port x", "argument couldn't be parsed into an integer")]
    public void FaultsAreNamedAsRedisDoes(string text, int line, string faulty, string reason)
    {
        FatalConfigurationException fault = Assert.Throws<FatalConfigurationException>(() => Load(text));
        Assert.Equal(
            "\n*** FATAL CONFIG FILE ERROR (Redis 8.0.0) ***\nReading the configuration file, at line "
                + $"{line}\n>>> '{faulty}'\n{reason}\n",
            fault.Message);
        Assert.False(fault.IsLogLine);
    }

    [Fact]
    public void OptionsOverrideTheFileAndContinueItsLines()
    {
        Load("port 1\ntimeout 5\n", "--port", "7", "--save", "--masterauth", "--x");
        Assert.Equal(7, _registry.Settings.Port);
        Assert.Equal(5, _registry.Settings.ClientTimeoutSeconds);
        Assert.Equal("", _registry.TextOf("save"));
        Assert.Equal("--x", _registry.TextOf("masterauth"));
        FatalConfigurationException fault =
            Assert.Throws<FatalConfigurationException>(() => Load("port 1\n", "--port", "x"));
        Assert.Contains("at line 3\n>>> 'port \"x\"'", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void StandardInputFollowsTheFile()
    {
        CommandLine line = CommandLine.Parse(["-", "--timeout", "3"]);
        MemoryStream input = new(Encoding.Latin1.GetBytes("timeout 1\nrequirepass \u00e9\u00ff"));
        new ConfigurationLoader(_registry).Load(line, () => input);
        Assert.Equal((3, "\u00e9\u00ff"), (_registry.Settings.ClientTimeoutSeconds,
            _registry.Settings.RequirePass));
    }

    [Fact]
    public void IncludesAreReadInOrderAndTheirErrorsCountTheirOwnLines()
    {
        Directory.CreateDirectory(Path.Combine(_directory, "d1"));
        Directory.CreateDirectory(Path.Combine(_directory, "d2"));
        Write("d1/b.conf", "timeout 2\nhz 33");
        Write("d1/a.conf", "timeout 1");
        Write("d2/c.conf", "port 99");
        Write("d2/.hidden.conf", "port 98");
        Load($"include {_directory}/d[12]/?.conf\ninclude \"{_directory}/d1/a.conf\"");
        Assert.Equal((1, 33, 99), (Timeout(), _registry.Settings.Hz, _registry.Settings.Port));

        Write("bad.conf", "\nport y");
        Assert.Contains(
            "at line 2\n>>> 'port y'", Assert.Throws<FatalConfigurationException>(() =>
                Load($"include {_directory}/bad.conf")).Message,
            StringComparison.Ordinal);
        Write("self.conf", $"include {_directory}/self.conf");
        Assert.Contains(
            "Too many nested includes", Assert.Throws<FatalConfigurationException>(() =>
                Load($"include {_directory}/self.conf")).Message,
            StringComparison.Ordinal);
        FatalConfigurationException missing =
            Assert.Throws<FatalConfigurationException>(() => Load("include /nonexistent/a.conf"));
        Assert.True(missing.IsLogLine);
        Assert.Equal(
            "Fatal error, can't open config file '/nonexistent/a.conf': No such file or directory",
                missing.Message);
    }

    [Fact]
    public void RefusalsNameTheLineThatCounts()
    {
        FatalConfigurationException fault =
            Assert.Throws<FatalConfigurationException>(() => Load("port 1\nrdma-port 1\n"));
        Assert.Contains("at line 2\n>>> 'rdma-port 1'\nRDMA is not supported", fault.Message, default);
        Load("rdma-port 1\n", "--rdma-port", "0");
        Assert.Equal("0", _registry.TextOf("rdma-port"));
    }

    [Theory]
    [InlineData("redis-8.conf")]
    [InlineData("valkey-9.conf")]
    [InlineData("/etc/redis/redis.conf")]
    public void StockFilesLoadUnchangedAndAreAnswered(string name)
    {
        string path = Path.Combine(AppContext.BaseDirectory, "Configs", name);
        Assert.SkipUnless(File.Exists(path), $"{path} is not installed or not readable");
        new ConfigurationLoader(_registry).Load(CommandLine.Parse([path, "--logfile", "", "--dir",
            _directory]), NoInput);
        foreach (string line in File.ReadAllLines(path))
        {
            if (line.Length == 0 || line[0] == '#'
                || ConfigurationText.Split(line) is not { Count: > 0 } words)
                continue;
            Assert.Equal(words[0], Assert.Single(_registry.Get([words[0]])).Key);
        }
        Assert.Equal(path, _registry.FilePath);
    }

    [Fact]
    public void StockFileOfRedisHoldsNothingButDefaults()
    {
        string path = Path.Combine(AppContext.BaseDirectory, "Configs", "redis-8.conf");
        new ConfigurationLoader(_registry).Load(CommandLine.Parse([path]), NoInput);
        List<KeyValuePair<string, string>> changed = _registry.Get(["*"]);
        foreach (KeyValuePair<string, string> pair in new ConfigurationRegistry().Get(["*"]))
            changed.Remove(pair);
        changed.RemoveAll(pair => pair.Key == "io-threads");
        Assert.Equal([new("bind", "127.0.0.1 -::1"), new("pidfile", "/var/run/redis_6379.pid")], changed);
    }

    private static Stream NoInput() => throw new InvalidOperationException("no standard input wanted");

    private int Timeout() => _registry.Settings.ClientTimeoutSeconds;

    private void Write(string name, string text) => File.WriteAllText(Path.Combine(_directory, name), text);

    private void Load(string text, params string[] options)
    {
        string path = Path.Combine(_directory, "main.conf");
        File.WriteAllText(path, text);
        new ConfigurationLoader(_registry).Load(CommandLine.Parse([path, .. options]), NoInput);
    }
}
