using System;
using System.Globalization;
using System.Text.RegularExpressions;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>A replica shows its master among its clients, as redis-server does.</summary>
public sealed partial class MasterClientTests
{
    private const int Length = 1_000_000;

    [Fact]
    public void TheLinkIsListedAndKilledAsAClient()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer master = OracleServer.Start("--repl-diskless-sync-delay", "0");
        string place = $"127.0.0.1 {master.Port}";
        using OracleServer redis = OracleServer.Start("--replicaof", place);
        using var own = new OwnServer(2, ("replicaof", place));
        using RespClient theirs = redis.Connect();
        RespClient ours = own.Connect();
        using RespClient writer = master.Connect();
        writer.Call("SET", "a", "1");
        foreach (RespClient replica in (RespClient[])[theirs, ours])
        {
            AwaitLink(replica);
            string line = replica.Call("CLIENT", "LIST", "TYPE", "master").Text;
            Assert.Contains($" addr=127.0.0.1:{master.Port} ", line, StringComparison.Ordinal);
            Assert.Contains(" flags=M db=0 ", line, StringComparison.Ordinal);
            Assert.Contains(" user=(superuser) ", line, StringComparison.Ordinal);
            Assert.Single(line.Split('\n', StringSplitOptions.RemoveEmptyEntries));
            Assert.Contains(" flags=M ", replica.Call("CLIENT", "LIST").Text, StringComparison.Ordinal);
            Assert.Equal("2", ReplicationPair.Field(replica, "clients", "connected_clients"));

            Assert.StartsWith("ERR No such client", replica.Call("CLIENT", "KILL", "127.0.0.1:1").Text,
                StringComparison.Ordinal);
            string[][] kills =
            [
                ["CLIENT", "KILL", "TYPE", "master"], ["CLIENT", "KILL", $"127.0.0.1:{master.Port}"],
                ["CLIENT", "KILL", "ADDR", $"127.0.0.1:{master.Port}"], ["CLIENT", "KILL", "ID", ""],
            ];
            foreach (string[] kill in kills)
            {
                AwaitLink(replica);
                long before = ReplicationPair.Number(writer, "stats", "sync_partial_ok");
                if (kill[2] == "ID")
                    kill[3] = IdentifierOf(replica.Call("CLIENT", "LIST", "TYPE", "master").Text);
                Assert.Equal(kill.Length == 3 ? "+OK" : ":1", replica.Call(kill).ToString());
                ReplicationPair.Await("it comes back", () =>
                    ReplicationPair.Number(writer, "stats", "sync_partial_ok") > before);
            }
        }
    }

    [Fact]
    public void BytesOfTheStreamAreCountedOnBothSides()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer own = OracleServer.StartOwn("--repl-diskless-sync-delay", "0");
        using RespClient master = own.Connect();
        using var below = new OwnServer(2, ("replicaof", $"127.0.0.1 {own.Port}"));
        using OracleServer redis = OracleServer.Start("--replicaof", $"127.0.0.1 {own.Port}");
        RespClient ours = below.Connect();
        using RespClient theirs = redis.Connect();
        AwaitLink(ours);
        AwaitLink(theirs);
        long sent = ReplicationPair.Number(master, "stats", "total_net_repl_output_bytes");
        master.Call("SET", "a", new string('x', Length));
        Assert.Equal(":2", master.Run("WAIT 2 0"));
        Assert.InRange(ReplicationPair.Number(master, "stats", "total_net_repl_output_bytes") - sent,
            2 * Length, 3 * Length);
        foreach (RespClient replica in (RespClient[])[theirs, ours])
        {
            ReplicationPair.Await("the bytes are counted", () =>
                ReplicationPair.Number(replica, "stats", "total_net_repl_input_bytes") >= Length);
            Assert.InRange(ReplicationPair.Number(replica, "stats", "total_net_input_bytes"), Length,
                2 * Length);
        }
    }

    [Fact]
    public void MonitorShowsTheMastersAddress()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer master = OracleServer.Start("--repl-diskless-sync-delay", "0");
        using var own = new OwnServer(2, ("replicaof", $"127.0.0.1 {master.Port}"));
        RespClient replica = own.Connect();
        AwaitLink(replica);
        RespClient monitor = own.Connect();
        Assert.Equal("OK", monitor.Call("MONITOR").Text);
        using RespClient writer = master.Connect();
        writer.Call("SET", "a", "1");
        string line;
        do
            line = monitor.Read().Text;
        while (!line.Contains("SET", StringComparison.Ordinal));
        Assert.Contains($"[0 127.0.0.1:{master.Port}] \"SET\" \"a\" \"1\"", line, StringComparison.Ordinal);
    }

    private static string IdentifierOf(string line) => Identifier().Match(line).Groups[1].Value;

    private static void AwaitLink(RespClient replica) => ReplicationPair.Await("the link is up",
        () => ReplicationPair.Field(replica, "replication", "master_link_status") == "up");

    [GeneratedRegex(@"^id=(\d+) ", RegexOptions.CultureInvariant)]
    private static partial Regex Identifier();
}
