using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Json;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Server.Logging;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

public sealed class ServerLogTests : IDisposable
{
    private static readonly DateTimeOffset s_now = new(2026, 11, 1, 9, 5, 7, 80, TimeSpan.FromHours(-3.5));
    private static readonly int s_id = Environment.ProcessId;
    private readonly string _directory = Directory.CreateTempSubdirectory("cinnabar-log-").FullName;
    private readonly StringWriter _output = new();
    private readonly ConfigurationRegistry _registry = new();
    private readonly ServerLog _log;

    public ServerLogTests() => _log = new ServerLog(_output, () => s_now);

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public void LinesHaveTheFormOfRedis()
    {
        _registry.Override("loglevel", "debug");
        _log.Write(LogLevel.Warning, "early");
        _log.Attach(_registry, systemLog: null);
        _log.SetRole(LogRole.Master);
        _log.Write(LogLevel.Debug, "one");
        _log.Write(LogLevel.Verbose, "two");
        _log.Write(LogLevel.Notice, "three");
        _log.Write(LogLevel.Warning, "four");
        _log.NoteRole(isReplica: true);
        _log.Write(LogLevel.Notice, "five");
        _log.WriteSignal("Received SIGTERM scheduling shutdown...");
        Assert.Equal(
            $"{s_id}:C 01 Nov 2026 09:05:07.080 # early\n"
                + $"{s_id}:M 01 Nov 2026 09:05:07.080 . one\n{s_id}:M 01 Nov 2026 09:05:07.080 - two\n"
                + $"{s_id}:M 01 Nov 2026 09:05:07.080 * three\n{s_id}:M 01 Nov 2026 09:05:07.080 # four\n"
                + $"{s_id}:S 01 Nov 2026 09:05:07.080 * five\n"
                + $"{s_id}:signal-handler ({s_now.ToUnixTimeSeconds()}) Received SIGTERM scheduling shutdown"
                + "...\n",
            _output.ToString());
    }

    [Theory]
    [InlineData("logfmt", "iso8601",
        "pid=ID role=primary timestamp=\"2026-11-01T09:05:07.080-03:30\" level=notice "
        + "message=\"a 'b' c\"\n")]
    [InlineData("json", "milliseconds", "{\"pid\":ID,\"role\":\"primary\",\"timestamp\":\"1793536507080\","
        + "\"level\":\"notice\",\"message\":\"a \\\"b\\\"\\nc\"}\n")]
    public void OtherFormatsFollowConfigSet(string format, string timestamp, string expected)
    {
        _log.Attach(_registry, systemLog: null);
        _log.SetRole(LogRole.Master);
        Assert.Null(_registry.Set([new("log-format", format), new("log-timestamp-format", timestamp)],
            false));
        _log.Write(LogLevel.Notice, "a \"b\"\nc");
        Assert.Equal(expected.Replace("ID", $"{s_id}", StringComparison.Ordinal), _output.ToString());
    }

    // As in Valkey: searching a log for a text finds it.
    [Theory]
    [InlineData("it's <b>&+`/é€😀\u2028\u007f", "it's <b>&+`/é€😀\u2028\u007f")]
    [InlineData("\\ \b\f\n\r\t\u0001\u001b\"", "\\\\ \\b\\f\\n\\r\\t\\u0001\\u001b\\\"")]
    public void JsonEscapesWhatItMust(string message, string expected)
    {
        _log.Attach(_registry, systemLog: null);
        Assert.Null(_registry.Set([new("log-format", "json")], isLocalClient: false));
        _log.Write(LogLevel.Notice, message);
        Assert.Contains($"\"message\":\"{expected}\"}}", _output.ToString(), StringComparison.Ordinal);
        Assert.Equal(message,
            JsonDocument.Parse(_output.ToString()).RootElement.GetProperty("message").GetString());
    }

    [Fact]
    public void LevelsFollowConfigSet()
    {
        List<string> system = [];
        _log.Attach(_registry, (level, message) => system.Add($"{level} {message}"));
        foreach (string level in (string[])["nothing", "warning", "notice", "verbose", "debug"])
        {
            Assert.Null(_registry.Set([new("loglevel", level)], isLocalClient: false));
            foreach (LogLevel own in (LogLevel[])[LogLevel.Debug, LogLevel.Verbose, LogLevel.Notice,
                LogLevel.Warning])
                _log.Write(own, level);
        }
        Assert.Equal(10, system.Count);
        Assert.Equal(
            ["Warning warning", "Notice notice", "Warning notice", "Verbose verbose"], system.GetRange(0, 4));
    }

    [Fact]
    public void FileIsFoundAgainAfterRotation()
    {
        string path = Path.Combine(_directory, "a.log");
        _registry.Override("dir", _directory);
        _registry.Override("logfile", "a.log");
        _log.Attach(_registry, systemLog: null);
        _log.Write(LogLevel.Notice, "first");
        _log.Write(LogLevel.Notice, "second \u00e9");
        File.Move(path, path + ".1");
        _log.Write(LogLevel.Notice, "third");
        Assert.Equal(2, File.ReadAllLines(path + ".1").Length);
        Assert.EndsWith("second \u00e9\n", File.ReadAllText(path + ".1"), StringComparison.Ordinal);
        Assert.EndsWith("* third\n", File.ReadAllText(path), StringComparison.Ordinal);
        Assert.Equal("", _output.ToString());
        Directory.Delete(_directory, recursive: true);
        _log.Write(LogLevel.Notice, "nowhere to go");
        Directory.CreateDirectory(_directory);
    }
}
