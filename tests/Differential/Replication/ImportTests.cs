using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Cinnabar.Load.Servers;
using Cinnabar.Tests.Support.Durability;
using Cinnabar.Tests.Support.Oracle;
using Cinnabar.Tests.Support.Tls;
using Xunit;

namespace Cinnabar.Tests.Differential.Replication;

/// <summary>Cinnabar imports the data of redis-server, which lets nobody follow it as a replica, while that
/// goes on to change them.</summary>
public sealed class ImportTests
{
    private const int CommandCount = 1_000;
    private const int KeyCount = 120;

    [Fact]
    public void AServerUnderLoadWhoseEventsAreCutIsImported()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start(
            "--enable-debug-command", "yes", "--notify-keyspace-events", "Kx");
        using RespClient source = redis.Connect();
        var writes = new RandomWrites(11);
        RandomData.Fill(source, seed: 5, KeyCount);
        ReplicationPair.Populate(source, writes);
        source.Call("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() end)");
        using var own = new OwnServer(2, ("enable-debug-command", "yes"), ("requirepass", "own"),
            ("import-from", $"redis://127.0.0.1:{redis.Port}"));
        RespClient target = own.Connect();
        target.Call("AUTH", "own");
        ReplicationPair.Load(source, writes, CommandCount);
        AwaitFollowing(target);
        source.Call("CLIENT", "KILL", "TYPE", "pubsub");
        source.Call("DEL", "t0", "l0");
        ReplicationPair.Load(source, writes, CommandCount);
        ReplicationPair.Await("the cut is noticed",
            () => Field(target, "import_last_error").Contains("broke", StringComparison.Ordinal));
        ReplicationPair.Load(source, writes, CommandCount);
        // PFCOUNT notes its result in the value, without an event.
        for (int index = 0; index < 6; index++)
            source.Call("PFADD", $"p{index}", "last");
        source.Call("COPY", "s1", "copied", "DB", "3");
        Finish(source, target);
        Assert.Equal("OK", target.Call("SET", "own", "1", "PX", "1").Text);
        ReplicationPair.Await("keys expire again", () => target.Run("EXISTS own") == ":0");
        Assert.Equal("xK", source.Call("CONFIG", "GET", "notify-keyspace-events").Items[1].Text);
        Assert.Equal("lib", target.Call("FUNCTION", "LIST").Items[0].Items[1].Text);
    }

    // Without DUMP, without being told of events or having them made, and what the documentation asks for.
    [Theory]
    [InlineData("+@all -dump -pexpiretime")]
    [InlineData("+@all -dump -time -cluster -function -randomkey -client")]
    [InlineData("+@all -config -info")]
    [InlineData("+@all -psubscribe")]
    [InlineData("+@read +@connection +psubscribe +info +time +config|get +config|set +function|dump "
        + "+cluster|slots")]
    public void AUserWithFewRightsIsEnough(string rules)
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start("--enable-debug-command", "yes");
        using RespClient source = redis.Connect();
        source.Call(["ACL", "SETUSER", "reader", "on", ">s3cr%t", "~*", "&*", .. rules.Split(' ')]);
        RandomData.Fill(source, seed: 6, KeyCount);
        AddGroup(source);
        using var own = new OwnServer(2, ("enable-debug-command", "yes"),
            ("import-from", $"redis://reader:s3cr%25t@127.0.0.1:{redis.Port}"));
        RespClient target = own.Connect();
        AwaitFollowing(target);
        source.Call("DEL", "stream");
        AddGroup(source);
        source.Call("SET", "later", "1", "PX", "100000000");
        Finish(source, target);
        Assert.DoesNotContain("s3cr", target.Call("INFO", "everything").Text, StringComparison.Ordinal);
        foreach (string question in (string[])["XINFO GROUPS stream", "XINFO STREAM stream",
            "XPENDING stream g"])
            Assert.Equal(Facts(source.Run(question)), Facts(target.Run(question)));
    }

    [Fact]
    public void AServerWithTlsIsImported()
    {
        Assert.SkipUnless(OracleServer.IsInstalled && OperatingSystem.IsLinux(),
            "redis-server is not installed, or TLS to others is not built here");
        using var certificates = new TestCertificates();
        using var other = new TestCertificates();
        using var port = new ReservedPort();
        List<string> options = ["--tls-port", Text(port.Number), "--enable-debug-command", "yes"];
        foreach ((string directive, string value) in certificates.Directives)
            options.AddRange(["--" + directive, value]);
        using OracleServer redis = OracleServer.Start([.. options]);
        using RespClient source = redis.Connect();
        RandomData.Fill(source, seed: 8, KeyCount);
        string place = $"rediss://localhost:{port.Number}";
        using var own = new OwnServer(
            2, [.. certificates.Directives, ("import-from", place), ("enable-debug-command", "yes")]);
        RespClient target = own.Connect();
        AwaitFollowing(target);
        source.Call("SET", "large", new string('x', 3_000_000));
        Finish(source, target);
        using var stranger = new OwnServer(
            2, ("tls-ca-cert-file", other.AuthorityFile), ("import-from", place));
        RespClient asked = stranger.Connect();
        ReplicationPair.Await("the certificate is refused", () => Field(asked, "import_last_error")
            .Contains("TLS with", StringComparison.Ordinal));
        Assert.Equal(":0", asked.Run("DBSIZE"));
    }

    [Fact]
    public void AnImportGoesOnAfterARestart()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using OracleServer redis = OracleServer.Start("--enable-debug-command", "yes");
        using RespClient source = redis.Connect();
        RandomData.Fill(source, seed: 7, KeyCount);
        DirectoryInfo directory = Directory.CreateTempSubdirectory("cinnabar-import-");
        string place = $"redis://127.0.0.1:{redis.Port}";
        using (StoredServer own = StoredServer.StartOwn(directory.FullName, "--appendonly", "yes",
            "--enable-debug-command", "yes", "--import-from", place))
        {
            using (RespClient target = own.Connect())
                AwaitFollowing(target);
            own.Kill();
            for (int index = 0; index < 50; index++)
                source.Call("DEL", source.Call("RANDOMKEY").Text);
            source.Call("SET", "new", "1");
            own.Restart();
            using RespClient again = own.Connect();
            AwaitFollowing(again);
            Assert.NotEqual("0", Field(again, "import_keys_deleted"));
            Finish(source, again);
            again.Call("SET", "own", "1");
            own.Restart();
            using RespClient last = own.Connect();
            Assert.Equal(":1", last.Run("EXISTS own"));
            // What it logs comes by a pipe of its own.
            ReplicationPair.Await("it says that it does not import again",
                () => own.Log.Contains("was imported before", StringComparison.Ordinal));
        }

        string other = place.Replace("127.0.0.1", "localhost", StringComparison.Ordinal);
        (int exitCode, string log) = StoredServer.RunOwn(
            directory.FullName, "--appendonly", "yes", "--import-from", other);
        Assert.Equal(1, exitCode);
        Assert.Contains(
            "has keys that were not imported from redis://localhost", log, StringComparison.Ordinal);
        directory.Delete(recursive: true);
    }

    [Fact]
    public void AllMastersOfAClusterAreImported()
    {
        Assert.SkipUnless(OracleServer.IsInstalled, "redis-server is not installed");
        using var firstBus = new ReservedPort();
        using var secondBus = new ReservedPort();
        using OracleServer first = StartMaster(firstBus);
        using OracleServer second = StartMaster(secondBus);
        using RespClient one = first.Connect();
        using RespClient two = second.Connect();
        one.Call("CLUSTER", "ADDSLOTSRANGE", "0", "8191");
        two.Call("CLUSTER", "ADDSLOTSRANGE", "8192", "16383");
        one.Call("CLUSTER", "MEET", "127.0.0.1", Text(second.Port), Text(secondBus.Number));
        foreach (RespClient node in (RespClient[])[one, two])
        {
            ReplicationPair.Await("the cluster serves", () => node.Call("CLUSTER", "INFO").Text
                .Contains("cluster_state:ok", StringComparison.Ordinal));
        }

        List<string> keys = [];
        for (int index = 0; index < KeyCount; index++)
            Add($"key:{index}");
        using var own = new OwnServer(
            2, ("enable-debug-command", "yes"), ("import-from", $"redis://127.0.0.1:{first.Port}"));
        RespClient target = own.Connect();
        AwaitFollowing(target);
        Assert.Equal("2", Field(target, "import_masters"));
        for (int index = 0; index < KeyCount; index++)
            Add($"later:{index}");
        MoveSlot(keys);
        End(target);
        Assert.Equal($":{keys.Count}", target.Run("DBSIZE"));
        foreach (string key in keys)
            Assert.Equal(Ask("GET", key), target.Call("GET", key).ToString());

        void Add(string key)
        {
            Ask("SET", key, "value of " + key);
            keys.Add(key);
        }

        string Ask(params string[] command)
        {
            string reply = one.Call(command).ToString();
            return reply.StartsWith("-MOVED", StringComparison.Ordinal)
                ? two.Call(command).ToString() : reply;
        }

        void MoveSlot(List<string> all)
        {
            string key = all.Find(name => !one.Call("GET", name).Text.StartsWith("MOVED",
                StringComparison.Ordinal))!;
            string slot = Text((int)one.Call("CLUSTER", "KEYSLOT", key).Integer);
            (string from, string to) = (one.Call("CLUSTER", "MYID").Text, two.Call("CLUSTER", "MYID").Text);
            two.Call("CLUSTER", "SETSLOT", slot, "IMPORTING", from);
            one.Call("CLUSTER", "SETSLOT", slot, "MIGRATING", to);
            Assert.Equal("OK", one.Call("MIGRATE", "127.0.0.1", Text(second.Port), key, "0", "60000").Text);
            ReplicationPair.Await("the event has come",
                () => long.Parse(Field(target, "import_events_received"), CultureInfo.InvariantCulture)
                    >= KeyCount + 1);
            two.Call("CLUSTER", "SETSLOT", slot, "NODE", to);
            one.Call("CLUSTER", "SETSLOT", slot, "NODE", to);
        }
    }

    private static OracleServer StartMaster(ReservedPort bus) =>
        OracleServer.Start("--cluster-enabled", "yes", "--cluster-port", Text(bus.Number));

    private static void AddGroup(RespClient source)
    {
        source.Run("XADD stream 1-1 a b");
        source.Run("XADD stream 2-1 a b");
        source.Run("XADD stream 3-1 a b");
        source.Run("XADD stream 4-1 a b");
        source.Run("XDEL stream 3-1");
        source.Run("XGROUP CREATE stream g 0");
        source.Run("XREADGROUP GROUP g c COUNT 2 STREAMS stream >");
        source.Run("XDEL stream 2-1");
    }

    // Without what depends on the moment, or on the form in memory.
    private static string Facts(string reply)
    {
        int tree = reply.IndexOf("radix-tree-keys", StringComparison.Ordinal);
        int rest = reply.IndexOf("last-generated-id", StringComparison.Ordinal);
        return tree < 0 ? reply : reply[..tree] + reply[rest..];
    }

    private static void Finish(RespClient source, RespClient target)
    {
        End(target);
        Assert.Equal(source.Call("DEBUG", "DIGEST").Text, target.Call("DEBUG", "DIGEST").Text);
    }

    private static void End(RespClient target)
    {
        Assert.Equal("OK", target.Call("CONFIG", "SET", "import-mode", "no").Text);
        ReplicationPair.Await("the import is finished", () => Field(target, "import_state") == "finished");
        string log = Path.Combine(target.Call("CONFIG", "GET", "dir").Items[1].Text, "log");
        foreach (string name in (string[])["import_samples_differing", "import_keys_skipped"])
        {
            Assert.True(Field(target, name) == "0",
                File.Exists(log) ? File.ReadAllText(log) : $"{name} is {Field(target, name)}");
        }
    }

    private static void AwaitFollowing(RespClient target) => ReplicationPair.Await(
        "all keys are copied", () => Field(target, "import_state") == "following");

    private static string Field(RespClient client, string name) =>
        ReplicationPair.Field(client, "import", name);

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
