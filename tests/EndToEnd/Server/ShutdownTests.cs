using System;
using System.IO;
using System.Threading;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.EndToEnd.Server;

/// <summary>Every way to end the process, and its exit code.</summary>
public sealed class ShutdownTests
{
    [Theory]
    [InlineData("SHUTDOWN", "")]
    [InlineData("SHUTDOWN", "3600 1")]
    [InlineData("SHUTDOWN NOSAVE", "3600 1")]
    [InlineData("SHUTDOWN NOSAVE NOW", "")]
    [InlineData("SHUTDOWN NOW SAFE", "")]
    [InlineData("SHUTDOWN SAVE FORCE", "")]
    public void TheCommandEndsTheProcess(string command, string savePoints)
    {
        using ServerRun run = new(null, "--save", savePoints, "--pidfile", "own.pid");
        run.WaitUntilReady();
        using RespClient client = new(run.Port);
        Assert.Equal("OK", client.Call("SET", "key", "value").Text);
        using RespClient other = new(run.Port);
        Assert.Equal("PONG", other.Call("PING").Text);
        Assert.ThrowsAny<IOException>(() => client.Call(command.Split(' ')));
        Assert.ThrowsAny<IOException>(other.Read);
        Assert.Equal(0, run.WaitForEnd());
        Assert.Contains("* User requested shutdown...\n", run.Output, StringComparison.Ordinal);
        Assert.EndsWith("# Cinnabar is now ready to exit, bye bye...\n", run.Output,
            StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(run.Home, "own.pid")));
    }

    /// <summary>A signal that comes while the server ends by a command neither saves nor keeps
    /// it.</summary>
    [Theory]
    [InlineData("SHUTDOWN NOSAVE", "TERM")]
    [InlineData("SHUTDOWN NOSAVE", "INT")]
    [InlineData("SHUTDOWN", "TERM")]
    public void ASignalDuringTheEndChangesNothing(string command, string signal)
    {
        using ServerRun run = new(null, "--save", "3600 1", "--appendonly", "yes");
        run.WaitUntilReady();
        using RespClient client = new(run.Port);
        client.Call("SET", "key", "value");
        client.Send(command.Split(' '));
        run.Signal(signal);
        // The last may come to a process that has no handler any more.
        Assert.Contains(run.WaitForEnd(), (int[])[0, 128 + 2, 128 + 15]);
    }

    [Theory]
    [InlineData("SHUTDOWN", "3600 1", true)]
    [InlineData("SHUTDOWN SAVE", "", true)]
    [InlineData("SHUTDOWN", "", false)]
    [InlineData("SHUTDOWN NOSAVE", "3600 1", false)]
    [InlineData("TERM", "3600 1", true)]
    [InlineData("INT", "3600 1", true)]
    [InlineData("TERM", "", false)]
    public void TheEndSavesWhereItIsTo(string how, string savePoints, bool isSaved)
    {
        using ServerRun run = new(null, "--save", savePoints);
        run.WaitUntilReady();
        using RespClient client = new(run.Port);
        client.Call("SET", "key", "value");
        if (how.StartsWith("SHUTDOWN", StringComparison.Ordinal))
            client.Send(how.Split(' '));
        else
            run.Signal(how);
        Assert.Equal(0, run.WaitForEnd());
        string path = Path.Combine(run.Home, "dump.rdb");
        Assert.Equal(isSaved, File.Exists(path));
        Assert.Equal(isSaved, run.Output.Contains("* DB saved on disk\n", StringComparison.Ordinal));
    }

    [Fact]
    public void AnImpossibleShutdownIsRefusedAndTheServerGoesOn()
    {
        using ServerRun run = new(null, "--save", "", "--dbfilename", "there");
        // No file can take the name of a directory.
        Directory.CreateDirectory(Path.Combine(run.Home, "there"));
        run.WaitUntilReady();
        using RespClient client = new(run.Port);
        Assert.Equal("ERR Errors trying to SHUTDOWN. Check logs.", client.Call("SHUTDOWN", "SAVE").Text);
        Assert.Equal("OK", client.Call("SET", "key", "value").Text);
        Assert.Equal("ERR syntax error", client.Call("SHUTDOWN", "SAVE", "NOSAVE").Text);
        Assert.Equal("ERR syntax error", client.Call("SHUTDOWN", "LATER").Text);
        Assert.Equal("ERR No shutdown in progress.", client.Call("SHUTDOWN", "ABORT").Text);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "shutdown-on-sigterm", "save").Text);
        run.Signal("TERM");
        run.WaitFor("Errors trying to shut down the server. Check the logs for more information.", count: 2);
        Assert.Equal("PONG", client.Call("PING").Text);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "shutdown-on-sigterm", "default").Text);
        run.Signal("TERM");
        Assert.ThrowsAny<IOException>(client.Read);
        Assert.Equal(0, run.WaitForEnd());
        Assert.Contains("Error trying to save the DB, can't exit.", run.Output, StringComparison.Ordinal);
    }

    /// <summary>As Redis's own tests want it: its cron handles signals.</summary>
    [Fact]
    public void WhileTheCronIsPausedASignalWaitsAndCanBeCalledOff()
    {
        using ServerRun run = new(null, "--enable-debug-command", "yes");
        run.WaitUntilReady();
        using RespClient client = new(run.Port);
        Assert.Equal("OK", client.Call("DEBUG", "PAUSE-CRON", "1").Text);
        run.Signal("TERM");
        run.WaitFor("Received SIGTERM scheduling shutdown...\n");
        // The line comes a moment before the request.
        string reply = "";
        for (int attempt = 0; attempt < 10_000 && reply != "OK"; attempt++)
        {
            reply = client.Call("SHUTDOWN", "ABORT").Text;
            Assert.Contains(reply, (string[])["OK", "ERR No shutdown in progress."]);
            Thread.Sleep(reply == "OK" ? 0 : 10);
        }

        run.WaitFor("* Shutdown manually aborted.\n");
        Assert.Equal("OK", client.Call("DEBUG", "PAUSE-CRON", "0").Text);
        Assert.Equal("OK", client.Call("DEBUG", "PAUSE-CRON", "1").Text);
        run.Signal("INT");
        run.WaitFor("Received SIGINT scheduling shutdown...\n");
        Assert.Equal("PONG", client.Call("PING").Text);
        client.Send("DEBUG", "PAUSE-CRON", "0");
        Assert.Equal(0, run.WaitForEnd());
        Assert.Contains("* User requested shutdown...\n", run.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("TERM")]
    [InlineData("INT")]
    public void ASignalEndsTheProcessWhateverItsClientsDo(string signal)
    {
        using ServerRun run = new(null, "--io-threads", "3");
        run.WaitUntilReady();
        using RespClient subscriber = new(run.Port);
        Assert.Equal(3, subscriber.Call("SUBSCRIBE", "channel").Items.Count);
        using RespClient transaction = new(run.Port);
        Assert.Equal("OK", transaction.Call("MULTI").Text);
        Assert.Equal("QUEUED", transaction.Call("SET", "key", "value").Text);
        run.Signal(signal);
        Assert.ThrowsAny<IOException>(subscriber.Read);
        Assert.ThrowsAny<IOException>(transaction.Read);
        Assert.Equal(0, run.WaitForEnd());
        Assert.Contains($"Received SIG{signal} scheduling shutdown...\n", run.Output,
            StringComparison.Ordinal);
    }
}
