using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Cinnabar.Tests.Support;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>The executable as operating systems and service managers see it.</summary>
public sealed class ServerProcessTests
{
    [Theory]
    [InlineData("redis-8.conf")]
    [InlineData("valkey-9.conf")]
    [InlineData("/etc/redis/redis.conf")]
    public void StockConfigurationFilesServe(string name)
    {
        string path = Path.Combine(AppContext.BaseDirectory, "Configs", name);
        Assert.SkipUnless(File.Exists(path), $"{path} is not installed or not readable");
        using ServerRun run = new(path, "--logfile", "", "--daemonize", "no", "--pidfile", "own.pid");
        run.WaitUntilReady();
        AssertAnswers(run.Port);
        Assert.Equal($"{run.ProcessId}\n", File.ReadAllText(Path.Combine(run.Home, "own.pid")));
        run.Signal("TERM");
        Assert.Equal(0, run.WaitForEnd());
        Assert.False(File.Exists(Path.Combine(run.Home, "own.pid")));
        Assert.Contains("Received SIGTERM scheduling shutdown...\n", run.Output, StringComparison.Ordinal);
        Assert.EndsWith("# Cinnabar is now ready to exit, bye bye...\n", run.Output,
            StringComparison.Ordinal);
    }

    [Fact]
    public void TheCommandLineShowsTheTitle()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux shows it");
        using ServerRun run = new(configurationPath: null);
        run.WaitUntilReady();
        string path = $"/proc/{run.ProcessId}/cmdline";
        string title = File.ReadAllText(path).TrimEnd('\0');
        Assert.EndsWith($"cinnabar-server *:{run.Port}", title, StringComparison.Ordinal);
        using RespClient client = new(run.Port);
        string text = new('x', 300);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "proc-title-template", $"{{port}} {text}").Text);
        Assert.Equal($"{run.Port} {text}", File.ReadAllText(path).TrimEnd('\0'));
        Assert.Equal("OK", client.Call("CONFIG", "SET", "proc-title-template", "{port}").Text);
        Assert.Equal($"{run.Port}", File.ReadAllText(path).TrimEnd('\0'));
        run.Signal("TERM");
        Assert.Equal(0, run.WaitForEnd());
    }

    [Theory]
    [InlineData("yes", 0)]
    [InlineData("no", 1)]
    public void DisableThpSwitchesHugePagesOffForTheProcess(string value, int isEnabled)
    {
        const string Field = "THP_enabled:";
        using ServerRun run = new(configurationPath: null, "--disable-thp", value);
        run.WaitUntilReady();
        string? line = Array.Find(File.ReadAllLines($"/proc/{run.ProcessId}/status"),
            static line => line.StartsWith(Field, StringComparison.Ordinal));
        Assert.SkipWhen(line is null, "the system does not show it");
        Assert.Equal(isEnabled, int.Parse(line[Field.Length..], CultureInfo.InvariantCulture));
        run.Signal("TERM");
        Assert.Equal(0, run.WaitForEnd());
    }

    [Fact]
    public void SigintEndsAndSighupAndSigalrmDoNot()
    {
        using ServerRun run = new(configurationPath: null);
        run.WaitUntilReady();
        run.Signal("HUP");
        AssertAnswers(run.Port);
        run.Signal("ALRM");
        run.WaitFor("Received SIGALRM\n");
        AssertAnswers(run.Port);
        run.Signal("INT");
        Assert.Equal(0, run.WaitForEnd());
        Assert.Contains("Received SIGINT scheduling shutdown...\n", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public void TheBackgroundProcessServesWhenTheFirstOneEnds()
    {
        using ServerRun run = new(null, "--daemonize", "yes", "--pidfile", "d.pid", "--logfile", "d.log");
        Assert.Equal(0, run.WaitForEnd());
        string pidFile = Path.Combine(run.Home, "d.pid");
        int id = int.Parse(File.ReadAllText(pidFile), CultureInfo.InvariantCulture);
        try
        {
            Assert.NotEqual(run.ProcessId, id);
            AssertAnswers(run.Port);
        }
        finally
        {
            run.End(id);
        }
        Assert.False(File.Exists(pidFile), "the pid file is still there");
        string log = File.ReadAllText(Path.Combine(run.Home, "d.log"));
        Assert.Contains("* Ready to accept connections tcp\n", log, StringComparison.Ordinal);
    }

    [Fact]
    public void ABackgroundProcessPrintsToItsCallerOnlyWhenItFails()
    {
        using ServerRun run = new(null, "--daemonize", "yes", "--pidfile", "d.pid");
        Assert.Equal(0, run.WaitForEnd());
        run.End(int.Parse(File.ReadAllText(Path.Combine(run.Home, "d.pid")), CultureInfo.InvariantCulture));
        Assert.Equal("", run.Output + run.Error);
        using ServerRun failing = new(null, "--daemonize", "yes", "--pidfile", "d.pid", "--unixsocket",
            "missing/s.sock");
        Assert.Equal(1, failing.WaitForEnd());
        Assert.Contains("# Failed opening Unix socket: bind: No such file or directory\n", failing.Output,
            StringComparison.Ordinal);
    }

    [Fact]
    public void FaultsOfTheConfigurationEndWithOne()
    {
        using ServerRun unknown = new(null, "--nonsense", "x");
        Assert.Equal(1, unknown.WaitForEnd());
        Assert.Equal(
            "\n*** FATAL CONFIG FILE ERROR (Redis 8.0.0) ***\nReading the configuration file, at line 4\n"
                + ">>> 'nonsense \"x\"'\nBad directive or wrong number of arguments\n",
            unknown.Error);
        using ServerRun refused = new(null, "--daemonize", "yes", "--cluster-enabled", "yes");
        Assert.Equal(1, refused.WaitForEnd());
        Assert.Contains("cluster mode is not built yet", refused.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void TooFewFilesEndWithOneAndAWord()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "there is no such limit");
        Assert.SkipUnless(ServerProgram.IsNative, "the managed form cannot load its assemblies");
        ProcessStartInfo start = new(
            "sh", ["-c", "ulimit -n 28 && exec \"$0\" --port 0", ServerProgram.FilePath])
        {
            RedirectStandardOutput = true,
        };
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.Equal(1, process.ExitCode);
        Assert.EndsWith(
            " # Your current 'ulimit -n' of 28 is not enough for the server to start. Please increase your "
                + "open file limit to at least 33. Exiting.\n",
            output, StringComparison.Ordinal);
    }

    [Fact]
    public void APortInUseEndsWithOne()
    {
        using ServerRun first = new(configurationPath: null);
        first.WaitUntilReady();
        using ServerRun second = new(null, "--port", first.Port.ToString(CultureInfo.InvariantCulture));
        Assert.Equal(1, second.WaitForEnd());
        Assert.DoesNotContain("Ready to accept", second.Output, StringComparison.Ordinal);
    }

    [Fact]
    public void AChangeOfThePortIsLoggedWhereItFailsAndWrittenToTheFile()
    {
        string path = Path.GetTempFileName();
        using ServerRun run = new(path, "--bind", "127.0.0.1");
        run.WaitUntilReady();
        using RespClient client = new(run.Port);
        Assert.Equal('-', client.Call("CONFIG", "SET", "bind", "192.0.2.1").Kind);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "port", "0", "bind", "127.0.0.1 -::1").Text);
        Assert.Equal("OK", client.Call("CONFIG", "REWRITE").Text);
        string file = File.ReadAllText(path);
        File.Delete(path);
        Assert.Contains("\nport 0\n", "\n" + file, StringComparison.Ordinal);
        Assert.Contains("\nbind 127.0.0.1 -::1\n", "\n" + file, StringComparison.Ordinal);
        string[] lines =
        [
            $"# Warning: Could not create server TCP listening socket 192.0.2.1:{run.Port}: bind: "
                + "Cannot assign requested address",
            "# Failed to bind",
            "# Failed applying new configuration. Possibly related to new bind setting. "
                + "Restoring previous settings.",
        ];
        foreach (string line in lines)
            run.WaitFor(line + "\n");
    }

    [Fact]
    public void SystemdIsNotifiedOfReadinessAndEnd()
    {
        using Socket socket = new(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        socket.ReceiveTimeout = 300_000;
        string directory = Directory.CreateTempSubdirectory("cinnabar-notify-").FullName;
        string path = Path.Combine(directory, "n");
        socket.Bind(new UnixDomainSocketEndPoint(path));
        using ServerRun run = new(("NOTIFY_SOCKET", path), null, "--supervised", "auto", "--daemonize",
            "yes");
        Assert.Contains("READY=1\n", Receive(socket), StringComparison.Ordinal);
        AssertAnswers(run.Port);
        run.Signal("TERM");
        Assert.Contains("STOPPING=1\n", Receive(socket), StringComparison.Ordinal);
        Assert.Equal(0, run.WaitForEnd());
        Directory.Delete(directory, recursive: true);
    }

    private static string Receive(Socket socket)
    {
        byte[] buffer = new byte[4096];
        return Encoding.UTF8.GetString(buffer, 0, socket.Receive(buffer));
    }

    private static void AssertAnswers(int port)
    {
        using RespClient client = new(port);
        Assert.Equal("PONG", client.Call("PING").Text);
    }
}
