using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>Fields of INFO that Redis 8 and Valkey 9 have added, and LASTSAVE.</summary>
public sealed class InfoCounterTests
{
    [Fact]
    public void KeysRemovedInTimeAreCountedApart()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock, ("enable-debug-command", "yes"));
        TestClient client = server.Connect();
        client.Run("DEBUG SET-ACTIVE-EXPIRE 0");
        client.Run("PSETEX met 10 value");
        client.Run("HSETEX hash PX 10 FIELDS 2 a 1 b 2");
        clock.Advance(20_000);
        server.Run();
        client.Run("DEL met");
        client.Run("HGET hash a");
        Assert.Equal((1, 0, true, false), Expired(client));
        client.Run("DEBUG SET-ACTIVE-EXPIRE 1");
        client.Run("PSETEX due 10 value");
        client.Run("HSETEX other PX 10 FIELDS 1 a 1");
        client.Run("HSET other b 2");
        clock.Advance(20_000);
        server.Run();
        Assert.Equal((2, 1, true, true), Expired(client));
        client.Run("CONFIG RESETSTAT");
        Assert.Equal((0, 0, false, false), Expired(client));
    }

    [Fact]
    public void PrefetchesAreCounted()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        client.Run("SET key value");
        client.Run("CONFIG RESETSTAT");
        client.Run("GET key");
        client.Run("PING");
        string info = client.Call("INFO", "stats").Text;
        Assert.Equal(1, Field(info, "io_threaded_total_prefetch_batches"));
        Assert.Equal(1, Field(info, "io_threaded_total_prefetch_entries"));
        using var alone = new TestServer();
        client = alone.Connect();
        client.Run("SET key value");
        client.Run("GET key");
        Assert.Equal(0, Field(client.Call("INFO", "stats").Text, "io_threaded_total_prefetch_entries"));
    }

    [Fact]
    public void ClientsThatComeAndGoAreSeenAtOnce()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        Assert.Equal((0, 0), Watching());
        TestClient other = server.Connect(1);
        Assert.Equal((0, 0), Watching());
        other.Run("WATCH a b");
        other.Run("SUBSCRIBE c");
        Assert.Equal((1, 1), Watching());
        other.Disconnect();
        server.Run();
        Assert.Equal((0, 0), Watching());

        (long Watching, long Subscribed) Watching()
        {
            string info = client.Call("INFO", "clients").Text;
            return (Field(info, "watching_clients"), Field(info, "pubsub_clients"));
        }
    }

    // Its cost does not grow with the data.
    [Fact]
    public void MemoryIsReportedOnTheLoop()
    {
        using var server = new TestServer(loopCostNsMax: 0, 1, null);
        server.IsSlowLaneHeld = true;
        string info = server.Connect().Call("INFO").Text;
        Assert.True(Field(info, "allocator_active") >= Field(info, "used_memory"));
    }

    [Fact]
    public void TheTurnsOfEachLoopAreTimed()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        TestClient client = server.Connect();
        client.Run("PING");
        Assert.Contains(
            "\r\nused_active_time_main_thread:0.000000\r\nused_active_time_io_thread_1:0.000000\r\n",
            client.Call("INFO", "cpu").Text, StringComparison.Ordinal);
        server.Engine.Loops[1].Run(() => clock.Advance(2500));
        server.Run();
        Assert.Contains("\r\nused_active_time_io_thread_1:0.002500\r\n", client.Call("INFO", "cpu").Text,
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("clients_hz", "25")]
    [InlineData("mem_replicas_repl_buffer", "0")]
    [InlineData("mem_cluster_slot_import", "0")]
    [InlineData("mem_cluster_slot_export", "0")]
    [InlineData("slot_migration_fork_in_progress", "0")]
    [InlineData("replicas_waiting_psync", "0")]
    [InlineData("total_net_cluster_slot_import_bytes", "0")]
    [InlineData("total_net_cluster_slot_export_bytes", "0")]
    [InlineData("expired_keys_with_volatile_items_stale_perc", "0.00")]
    public void FieldsOfValkeyAreThere(string name, string value)
    {
        using var server = new TestServer(1, null, ("hz", "25"));
        string info = server.Connect().Call("INFO", "everything").Text;
        Assert.Equal(1, info.Split("\r\n").Count(line => line == $"{name}:{value}"));
    }

    [Fact]
    public void LastSaveIsTheStart()
    {
        var clock = new ManualClock();
        using var server = new TestServer(1, clock);
        TestClient client = server.Connect();
        long started = client.Call("LASTSAVE").Integer;
        Assert.Equal(server.Engine.StartedUs / 1_000_000, started);
        clock.Advance(5_000_000);
        client.Run("SET key value");
        Assert.Equal($":{started}", $"{client.Call("LASTSAVE")}");
        Assert.Equal(started, Field(client.Call("INFO", "persistence").Text, "rdb_last_save_time"));
    }

    private static (long Keys, long OnTime, bool AreFields, bool AreOnTime) Expired(TestClient client)
    {
        string info = client.Call("INFO", "stats").Text;
        return (Field(info, "expired_keys"), Field(info, "expired_keys_active"),
            Field(info, "expired_subkeys") > 0, Field(info, "expired_subkeys_active") > 0);
    }

    private static long Field(string info, string name)
    {
        name += ':';
        string field = info.Split("\r\n").Single(line => line.StartsWith(name, StringComparison.Ordinal));
        return long.Parse(field[name.Length..], CultureInfo.InvariantCulture);
    }
}
