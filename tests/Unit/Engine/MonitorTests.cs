using System;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using Cinnabar.Engine.Gates;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine;

/// <summary>MONITOR shows what runs on all loops.</summary>
public sealed class MonitorTests
{
    [Fact]
    public void CommandsAreShownWithTheirArgumentsButNotPasswords()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient monitor = server.Connect(0);
        Assert.Equal("+OK", monitor.Run("MONITOR"));
        Assert.Equal("", monitor.Run("MONITOR"));
        TestClient client = server.Connect(1);
        string[] lines =
        [
            "AUTH u p", "HELLO 2 AUTH default pw SETNAME x", "MULTI", "PING", "GET k\u00e9\u0001", "EXEC",
            "NOSUCH", "GET",
            "SELECT 1", "SET k v", "CLIENT LIST", "EXEC x",
        ];
        foreach (string line in lines)
            client.Run(line);
        string[] seen = [.. monitor.Take().Select(reply => Regex.Replace(reply.Text, "^[0-9]+\\.[0-9]{6} ",
            ""))];
        string[] wanted =
        [
            "[0 127.0.0.1:50001] \"AUTH\" \"(redacted)\" \"(redacted)\"",
            "[0 127.0.0.1:50001] \"HELLO\" \"2\" \"AUTH\" \"(redacted)\" \"(redacted)\" \"SETNAME\" \"x\"",
            "[0 127.0.0.1:50001] \"MULTI\"",
            "[0 127.0.0.1:50001] \"PING\"",
            "[0 127.0.0.1:50001] \"GET\" \"k\\xe9\\x01\"",
            "[0 127.0.0.1:50001] \"EXEC\"",
            "[1 127.0.0.1:50001] \"SELECT\" \"1\"",
            "[1 127.0.0.1:50001] \"SET\" \"k\" \"v\"",
        ];
        Assert.Equal(wanted, seen);
    }

    [Fact]
    public void AMonitorTouchesNoKeysAndEndsWithReset()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient monitor = server.Connect(0);
        TestClient client = server.Connect(1);
        monitor.Run("MONITOR");
        Assert.Equal("-ERR Replica can't interact with the keyspace", monitor.Run("GET k"));
        Assert.Contains(" flags=O ", client.Run("CLIENT LIST ID 1 TYPE normal"), StringComparison.Ordinal);
        // Loop 0 resets before loop 1 runs the command: what it shows comes too late.
        monitor.Send("RESET");
        client.Send("GET", "k");
        monitor.Send("GET", "k");
        server.Run();
        Assert.Equal("+RESET _", monitor.Shown());
        Assert.Equal("+OK +QUEUED *[-ERR MONITOR isn't allowed for DENY BLOCKING client]",
            $"{monitor.Run("MULTI")} {monitor.Run("MONITOR")} {monitor.Run("EXEC")}");
    }

    [Fact]
    public void AnEndingMonitorDoesNotHideCommandsFromANewOne()
    {
        const int RoundCount = 200_000;
        using var server = new TestServer(loopCount: 2);
        Session[] sessions = [server.Connect(0).Session!, server.Connect(1).Session!];
        Monitors monitors = server.Engine.Monitors;
        int hiddenCount = 0;
        var other = new Thread(() => ComeAndGo(sessions[1]));
        other.Start();
        ComeAndGo(sessions[0]);
        other.Join();
        Assert.Equal(0, hiddenCount);
        Assert.False(server.Engine.Gates.Has(ServerGates.Monitored));

        void ComeAndGo(Session session)
        {
            for (int round = 0; round < RoundCount; round++)
            {
                monitors.Add(session);
                Thread.SpinWait(round % 8);
                if (!server.Engine.Gates.Has(ServerGates.Monitored))
                    Interlocked.Increment(ref hiddenCount);
                monitors.Remove(session);
            }
        }
    }
}
