using System;
using System.IO;
using System.Threading;
using Cinnabar.Engine;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Server;
using Xunit;

namespace Cinnabar.Tests.Unit.Server;

public sealed class ServerProcessTests : IDisposable
{
    private readonly string _directory = Directory.CreateTempSubdirectory("cinnabar-process-").FullName;
    private readonly StringWriter _output = new();
    private readonly StringWriter _error = new();
    private readonly FakeServer _server = new();

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void LogsItsLifeAndKeepsAPidFile(int exitCode)
    {
        string pidFile = Path.Combine(_directory, "server.pid");
        bool hadPidFile = false;
        Assert.Equal(exitCode, Run(
            Start, "--port", "0", "--pidfile", pidFile, "--tls-cluster", "yes"));
        string log = _output.ToString();
        int position = 0;
        foreach (string expected in (string[])[
            "* oO0OoO0OoO0Oo", "* Configuration loaded",
                "# Configuration: 'tls-cluster' has no effect yet",
            "* Running mode=standalone, port=0.", "* Server initialized\n",
                "* Ready to accept connections tcp\n",
            "* Ready to accept connections unix\n"])
        {
            position = log.IndexOf(expected, position, StringComparison.Ordinal);
            Assert.True(position >= 0, $"'{expected}' is not in its place in\n{log}");
        }
        // The last line of a server that failed is why.
        Assert.Equal(exitCode == 0,
            log.IndexOf("* Removing the pid file.\n", position, StringComparison.Ordinal) >= 0);
        Assert.True(hadPidFile);
        Assert.False(File.Exists(pidFile));
        Assert.Equal("", _error.ToString());

        IServerInstance Start(ConfigurationRegistry registry, Cinnabar.Engine.Logging.ILog ownLog,
            Cinnabar.Importing.ImportAddress? source)
        {
            Assert.Null(source);
            Assert.False(File.Exists(pidFile));
            _server.Listening = () =>
            {
                hadPidFile = File.ReadAllText(pidFile) == Environment.ProcessId + "\n";
                _server.End(exitCode);
            };
            return _server;
        }
    }

    [Fact]
    public void ThePictureHoldsPortAndProcessOfAServerThatListens()
    {
        Assert.Equal(0, Run((_, _, _) =>
        {
            Assert.DoesNotContain("PID: ", _output.ToString(), StringComparison.Ordinal);
            _server.End(0);
            return _server;
        }, "--port", "7001", "--always-show-logo", "yes"));
        string log = _output.ToString();
        Assert.Contains(" Port: 7001\n", log, StringComparison.Ordinal);
        Assert.Matches($"(?s) PID: {Environment.ProcessId}\n.*Server initialized\n", log);
        Assert.DoesNotContain("Running mode", log, StringComparison.Ordinal);
    }

    [Fact]
    public void AServerThatCannotListenEndsTheProcess()
    {
        string pidFile = Path.Combine(_directory, "others.pid");
        File.WriteAllText(pidFile, "1\n");
        Assert.Equal(1, Run((_, _, _) => throw new IOException("Failed listening on port 1 (TCP), aborting."),
            "--port", "1", "--pidfile", pidFile));
        Assert.Equal("1\n", File.ReadAllText(pidFile));
        Assert.Contains("# Failed listening on port 1 (TCP), aborting.\n", _output.ToString(),
            StringComparison.Ordinal);
        Assert.DoesNotContain("Running mode", _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void AWrongConfigurationGoesToStandardError()
    {
        Assert.Equal(1, Run((_, _, _) => _server, "--nonsense", "1"));
        Assert.StartsWith("\n*** FATAL CONFIG FILE ERROR (Redis 8.0.0) ***\n", _error.ToString(), default);
        Assert.Equal(1, Run((_, _, _) => _server, "/nonexistent.conf"));
        Assert.EndsWith(
            "# Fatal error, can't open config file '/nonexistent.conf': No such file or directory\n",
            _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void ARefusedConfigurationIsFoundInTheLogToo()
    {
        string path = Path.Combine(_directory, "server.log");
        Assert.Equal(1, Run(
            (_, _, _) => _server,
            "--cluster-enabled", "yes", "--always-show-logo", "yes", "--logfile", path));
        Assert.Contains("cluster mode is not built yet", _error.ToString(), StringComparison.Ordinal);
        Assert.Matches(
            $"(?s), just started\n.* PID: {Environment.ProcessId}\n.*"
                + "# This configuration is refused: cluster mode is not built yet",
            File.ReadAllText(path));
        Assert.Equal("", _output.ToString());
    }

    [Fact]
    public void SaysWhatItIs()
    {
        Assert.Equal(0, Run((_, _, _) => _server, "--version"));
        Assert.Matches(
            @"^Cinnabar server v=8\.0\.0 sha=[0-9a-f]{8}:0 malloc=\S+ bits=64 build=\w+ cinnabar=\S+ \w+\s*$",
            _output.ToString());
        Assert.Equal(1, Run((_, _, _) => _server, "--help"));
        Assert.StartsWith("Usage: cinnabar-server", _error.ToString(), StringComparison.Ordinal);
    }

    private int Run(ServerStarter start, params string[] arguments) =>
        new ServerProcess(arguments, (_output, _error), new ConfigurationRegistry(), start).Run();
}
