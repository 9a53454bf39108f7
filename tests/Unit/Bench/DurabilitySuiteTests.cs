using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using Cinnabar.Bench;
using Cinnabar.Bench.Suites.Durability;
using Cinnabar.Load;
using Cinnabar.Load.Requests;
using Cinnabar.Load.Servers;
using Xunit;

namespace Cinnabar.Tests.Unit.Bench;

public sealed class DurabilitySuiteTests
{
    private const string ThreadName = "bench-saver";

    [Fact]
    public void OneNameStandsForItsSuites()
    {
        Assert.Equal(["saving", "files", "appends", "start"],
            SuiteRunner.Suites(["durability", "start"]).Select(suite => suite.Name));
        Assert.Throws<LoadException>(() => SuiteRunner.Suites(["durable"]));
    }

    [Fact]
    public void FilesAreInAFolderThatIsDeleted()
    {
        ServerSpec spec = ServerSpec.Parse("a=server --port {port}");
        string path;
        using (var folder = new DataFolder())
        {
            ServerSpec kept = folder.Of(spec);
            Assert.Equal(["server", "--port", "{port}", "--dir"], kept.Command.SkipLast(1));
            path = kept.Command[^1];
            File.WriteAllBytes(Path.Combine(path, "dump.rdb"), new byte[7]);
            Assert.Equal(7, folder.SizeOf("dump.rdb"));
            Assert.Throws<LoadException>(() => folder.Of(ServerSpec.Parse("b@host:1")));
        }
        Assert.False(Directory.Exists(path));
    }

    [Fact]
    public void TheSliceInWhichTheEventEndedDoesNotCount()
    {
        using var server = new CountingServer(1);
        using var generator = new LoadGenerator(new LoadOptions
        {
            Server = new ServerAddress("127.0.0.1", server.Port),
            ClientCount = 1,
            Commands = [CommandTemplate.Parse("PING")],
        });
        int asked = 0;
        var (requests, seconds) = RateSlices.RunWhile(generator, () => ++asked < 3);
        Assert.Equal(3, asked);
        Assert.InRange(requests, 2, long.MaxValue);
        Assert.InRange(seconds, 0.39, double.MaxValue);
        // Where the event ended within the first slice there is no other.
        (requests, _) = RateSlices.RunWhile(generator, () => false);
        Assert.InRange(requests, 1, long.MaxValue);
    }

    [Fact]
    public void ASaveIsFollowedToItsEnd()
    {
        using var folder = new DataFolder();
        string path = folder.Of(ServerSpec.Parse("a=server --port {port}")).Command[^1];
        using CinnabarServer server = CinnabarServer.Start(new CinnabarServerOptions
        {
            Port = 0,
            LoopCount = 1,
            Directives = [new("dir", path), new("save", "")],
        });
        ServerSpec spec = ServerSpec.Parse($"a@127.0.0.1:{server.Port}");
        using MeasuredServer measured = MeasuredServer.Start(spec, []);
        using ServerLink link = measured.Link();
        link.Ask("SET", "key", "value");
        BackgroundSave save = BackgroundSave.Begin(measured, link);
        save.Wait();
        Assert.False(save.IsRunning());
        Assert.InRange(folder.SizeOf("dump.rdb"), 1, 1000);
    }

    [Fact]
    public void ChildrenAndNamedThreadsAreFoundAndMoved()
    {
        if (!OperatingSystem.IsLinux()) return;
        using var stop = new ManualResetEventSlim();
        var thread = new Thread(stop.Wait) { Name = ThreadName, IsBackground = true };
        thread.Start();
        var usage = new ProcessUsage(Environment.ProcessId);
        SpinWait.SpinUntil(() => Named() is not null);
        string status = Path.Combine(Named()!, "status");
        int number = int.Parse(Path.GetFileName(Named()!), CultureInfo.InvariantCulture);
        Assert.Contains(number, usage.ThreadsBeside(ThreadName));
        int core = int.Parse(Allowed(status).Split(',', '-')[0], CultureInfo.InvariantCulture);
        ProcessorPin.YieldOn(number, core);
        Assert.Equal($"{core}", Allowed(status));
        Assert.Equal("19", File.ReadAllText(Path.Combine(Named()!, "stat")).Split(' ')[18]);
        stop.Set();
        thread.Join();
        // A thread that has ended is no failure.
        SpinWait.SpinUntil(() => Named() is null);
        ProcessorPin.YieldOn(number, core);
    }

    [Fact]
    public void AChildBelongsToTheServer()
    {
        if (!OperatingSystem.IsLinux()) return;
        using Process shell = Process.Start("sh", ["-c", "sleep 600 & wait"]);
        try
        {
            var usage = new ProcessUsage(shell.Id);
            SpinWait.SpinUntil(() => usage.ThreadsBeside("none").Count == 1);
            Assert.InRange(usage.UnsharedBytes(), 1, usage.ResidentBytes());
        }
        finally
        {
            shell.Kill(entireProcessTree: true);
            shell.WaitForExit();
        }
    }

    private static string? Named() =>
        Directory.GetDirectories("/proc/self/task").FirstOrDefault(task => NameOf(task) == ThreadName);

    private static string NameOf(string task)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm")).Trim();
        }
        catch (IOException)
        {
            // The thread has ended meanwhile.
            return "";
        }
    }

    private static string Allowed(string status) => File.ReadLines(status)
        .Single(line => line.StartsWith("Cpus_allowed_list:", StringComparison.Ordinal)).Split(':')[1].Trim();
}
