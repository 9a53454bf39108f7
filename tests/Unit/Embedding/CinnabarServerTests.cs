using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Cinnabar.Resp;
using Xunit;

namespace Cinnabar.Tests.Unit.Embedding;

/// <summary>Servers inside this process, and clients without a socket.</summary>
public class CinnabarServerTests
{
    private const int CallCount = 2000;
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(5);

    /// <summary>A command and its reply.</summary>
    [Fact]
    public void ClientCallsWithoutASocket()
    {
        using CinnabarServer server = Start();
        using CinnabarClient client = server.Connect();
        Assert.Equal("OK", client.Call("SET", "key", "välue").Text);
        Assert.Equal("välue", Encoding.UTF8.GetString(client.Call("GET", "key").Bytes));
        Assert.True(client.Call("INCR", "key").IsError);
        Assert.Equal(0, server.Port);
    }

    /// <summary>Replies come in the order of the calls, on any thread.</summary>
    [Fact]
    public async Task ManyThreadsShareAClient()
    {
        await using CinnabarServer server = Start();
        using CinnabarClient client = server.Connect();
        var callers = new List<Task>();
        for (int caller = 0; caller < 4; caller++)
        {
            string prefix = $"{caller}:";
            callers.Add(Task.Run(async () =>
            {
                var replies = new List<Task<Reply>>();
                for (int index = 0; index < CallCount; index++)
                    replies.Add(client.CallAsync("ECHO", prefix + index));
                for (int index = 0; index < CallCount; index++)
                    Assert.Equal(prefix + index, (await replies[index]).Text);
            }));
        }

        await Task.WhenAll(callers);
    }

    /// <summary>A signal that comes when the server ends already waits for no save: nothing is left that
    /// would make it.</summary>
    [Fact]
    public async Task AServerThatEndsPreparesNoEnd()
    {
        CinnabarServer server = CinnabarServer.Start(new CinnabarServerOptions
        {
            LoopCount = 1, Directives = [new("save", "3600 1")],
        });
        using (CinnabarClient client = server.Connect())
        {
            client.Call("SET", "key", "value");
            _ = client.CallAsync("SHUTDOWN", "NOSAVE");
            Assert.Equal(0, await server.Completion.WaitAsync(s_hang, TestContext.Current.CancellationToken));
        }

        Assert.False(await Task.Run(() => server.TryPrepareEnd(isInterrupt: false))
            .WaitAsync(s_hang, TestContext.Current.CancellationToken));
        await server.DisposeAsync();
        Assert.False(await Task.Run(() => server.TryPrepareEnd(isInterrupt: false))
            .WaitAsync(s_hang, TestContext.Current.CancellationToken));
    }

    /// <summary>A client that sees its connection end cannot connect again: the listeners are closed
    /// first.</summary>
    [Fact]
    public async Task NobodyConnectsOnceAConnectionHasEnded()
    {
        const int roundCount = 10;
        for (int round = 0; round < roundCount; round++)
        {
            CinnabarServer server = CinnabarServer.Start(
                new CinnabarServerOptions { Port = 0, LoopCount = 2 });
            int port = server.Port;
            byte[] buffer = new byte[16];
            using var first = new TcpClient("127.0.0.1", port);
            await first.GetStream().WriteAsync("PING\r\n"u8.ToArray(), TestContext.Current.CancellationToken);
            await first.GetStream().ReadExactlyAsync(buffer.AsMemory(0, 7),
                TestContext.Current.CancellationToken);
            Task end = Task.Run(server.Dispose, TestContext.Current.CancellationToken);
            Assert.Equal(0, await first.GetStream().ReadAsync(buffer, TestContext.Current.CancellationToken));
            SocketException refusal = Assert.Throws<SocketException>(() => new TcpClient("127.0.0.1", port));
            Assert.Equal(SocketError.ConnectionRefused, refusal.SocketErrorCode);
            await end;
        }
    }

    /// <summary>INFO shows the processor time of the first loop's thread, which grows while it
    /// serves.</summary>
    [Fact]
    public void TheFirstLoopsThreadIsTheMainThread()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux only.");
        using CinnabarServer server = Start();
        using CinnabarClient client = server.Connect();
        double first = MainThreadSeconds(client);
        // More than enough for the slowest machine; each call takes the thread some microseconds.
        for (int call = 0; call < 10_000_000 && MainThreadSeconds(client) <= first; call++)
            client.Call("PING");
        Assert.True(MainThreadSeconds(client) > first);
    }

    /// <summary>Servers are independent of each other.</summary>
    [Fact]
    public void ServersLiveSideBySide()
    {
        using CinnabarServer first = Start();
        using CinnabarServer second = Start();
        using CinnabarClient firstClient = first.Connect();
        using CinnabarClient secondClient = second.Connect();
        firstClient.Call("SET", "key", "first");
        Assert.True(secondClient.Call("GET", "key").IsNull);
        Assert.Equal("first", firstClient.Call("GET", "key").Text);
    }

    /// <summary>A free port is found, and sockets and in-process clients see the same keys.</summary>
    [Fact]
    public void FreePortServesSocketsToo()
    {
        var options = new CinnabarServerOptions { Port = 0, LoopCount = 2 };
        using CinnabarServer server = CinnabarServer.Start(options);
        using CinnabarClient client = server.Connect();
        client.Call("SET", "key", "value");
        Assert.Contains($"tcp_port:{server.Port}\r\n", client.Call("INFO", "server").Text);
        using var socket = new TcpClient("127.0.0.1", server.Port);
        socket.GetStream().Write("GET key\r\n"u8);
        var reply = new byte[11];
        socket.GetStream().ReadExactly(reply);
        Assert.Equal("$5\r\nvalue\r\n", Encoding.Latin1.GetString(reply));
    }

    /// <summary>The error of a directive is reported.</summary>
    [Fact]
    public void DirectivesAreChecked()
    {
        var options = new CinnabarServerOptions { Directives = [new("no-such-directive", "1")] };
        var fault = Assert.Throws<ArgumentException>(() => CinnabarServer.Start(options));
        Assert.Contains("no-such-directive", fault.Message);
    }

    /// <summary>A value may have spaces: a path, a password.</summary>
    [Fact]
    public async Task ValuesMayHaveSpaces()
    {
        string folder = Path.Combine(Directory.CreateTempSubdirectory().FullName, "two words");
        Directory.CreateDirectory(folder);
        await using CinnabarServer server = CinnabarServer.Start(new CinnabarServerOptions
        {
            Directives = [new("dir", folder), new("requirepass", "open  sesame"), new("save", "60 1 30 2")],
        });
        using CinnabarClient client = server.Connect();
        Assert.Equal("OK", (await client.CallAsync("AUTH", "open  sesame")).Text);
        Assert.Equal(folder, (await client.CallAsync("CONFIG", "GET", "dir")).Items[1].Text);
        Assert.Equal("60 1 30 2", (await client.CallAsync("CONFIG", "GET", "save")).Items[1].Text);
        Directory.Delete(Path.GetDirectoryName(folder)!, recursive: true);
    }

    /// <summary>The log has the lines that <c>loglevel</c> lets through, and names directives without
    /// effect.</summary>
    [Fact]
    public void TheLogFollowsItsLevel()
    {
        var lines = new ConcurrentQueue<string>();
        using CinnabarServer server = CinnabarServer.Start(new CinnabarServerOptions
        {
            LoopCount = 1,
            Log = lines.Enqueue,
            Directives = [new("enable-debug-command", "local"), new("lazyfree-lazy-user-del", "yes")],
        });
        Assert.Single(lines, line => line.Contains("'lazyfree-lazy-user-del'", StringComparison.Ordinal));
        using CinnabarClient client = server.Connect();
        client.Call("DEBUG", "LOG", "first");
        Assert.Contains("DEBUG LOG: first", lines);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "loglevel", "nothing").Text);
        client.Call("DEBUG", "LOG", "second");
        Assert.DoesNotContain("DEBUG LOG: second", lines);
        Assert.Equal("OK", client.Call("CONFIG", "SET", "loglevel", "warning").Text);
        client.Call("DEBUG", "LOG", "third");
        Assert.Contains("DEBUG LOG: third", lines);
    }

    /// <summary>A big value comes back whole, and every byte is given back at the end.</summary>
    [Theory]
    [InlineData("epoll")]
    [InlineData("io_uring")]
    [InlineData("portable")]
    public async Task DisposingGivesEveryByteBack(string transport)
    {
        var lines = new ConcurrentQueue<string>();
        CinnabarServer server = CinnabarServer.Start(new CinnabarServerOptions
        {
            LoopCount = 2,
            IsMemoryChecked = true,
            Log = lines.Enqueue,
            Directives = [new("transport", transport)],
        });
        CinnabarClient client = server.Connect();
        var value = new byte[16 << 20];
        new Random(1).NextBytes(value);
        Assert.Equal("OK", (await client.CallAsync("SET"u8.ToArray(), "big"u8.ToArray(), value)).Text);
        Assert.Equal(value, (await client.CallAsync("GET", "big")).Bytes);
        Assert.True(server.MappedBytes > value.Length);
        Task<Reply> last = client.CallAsync("PING");
        await server.DisposeAsync();
        Assert.Equal(0, server.MappedBytes);
        await Task.WhenAny(last, Task.Delay(TimeSpan.FromMinutes(5), TestContext.Current.CancellationToken));
        Assert.True(last.IsCompleted);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => client.CallAsync("PING"));
        Assert.DoesNotContain(lines, line => line.Contains("fault", StringComparison.Ordinal));
    }

    /// <summary>A call that cannot be made has no reply: each of the others gets its own.</summary>
    [Fact]
    public async Task AFailedCallTakesNoOtherCallsReply()
    {
        await using CinnabarServer server = Start();
        using CinnabarClient client = server.Connect();
        await Assert.ThrowsAsync<ArgumentNullException>(
            () => client.CallAsync("ECHO"u8.ToArray(), null!));
        Task<Reply> first = client.CallAsync("ECHO", "first");
        Task<Reply> second = client.CallAsync("ECHO", "second");
        await Task.WhenAll(first, second).WaitAsync(s_hang, TestContext.Current.CancellationToken);
        Assert.Equal(("first", "second"), ((await first).Text, (await second).Text));
    }

    /// <summary>Calls before the disposal of a client get their replies, whatever is called later.</summary>
    [Fact]
    public async Task ACallThatComesTooLateFailsAlone()
    {
        await using CinnabarServer server = Start();
        CinnabarClient client = server.Connect();
        Task<Reply> early = client.CallAsync("ECHO", "early");
        client.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => client.CallAsync("PING"));
        Assert.Equal("early", (await early.WaitAsync(s_hang, TestContext.Current.CancellationToken)).Text);
    }

    /// <summary>Each caller of Dispose finds everything freed when it returns, also with concurrent
    /// callers.</summary>
    [Fact]
    public async Task ConcurrentDisposalWaitsForTheEnd()
    {
        CinnabarServer server = Start();
        using var start = new Barrier(2);
        await Task.WhenAll(Task.Run(Dispose), Task.Run(Dispose));

        void Dispose()
        {
            start.SignalAndWait(s_hang);
            server.Dispose();
            Assert.Equal(0, server.MappedBytes);
        }
    }

    private static double MainThreadSeconds(CinnabarClient client)
    {
        double seconds = 0;
        foreach (string name in (string[])["used_cpu_sys_main_thread:", "used_cpu_user_main_thread:"])
        {
            string info = client.Call("INFO", "cpu").Text!;
            int start = info.IndexOf(name, StringComparison.Ordinal);
            Assert.True(start > 0, $"{name} is missing");
            start += name.Length;
            seconds += double.Parse(
                info[start..info.IndexOf('\r', start)], CultureInfo.InvariantCulture);
        }

        return seconds;
    }

    private static CinnabarServer Start() =>
        CinnabarServer.Start(new CinnabarServerOptions { LoopCount = 2 });
}
