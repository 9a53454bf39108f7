using System;
using System.Globalization;
using System.Linq;
using Cinnabar.Platform;
using Cinnabar.Tests.Support.Engine;
using Xunit;

namespace Cinnabar.Tests.Unit.Engine.Server;

/// <summary>The fields of INFO that other programs read, and the values of those that change.</summary>
public sealed class InfoFieldTests
{
    // By the program that reads them. Fields of masters with replicas, of the cluster and of modules are not
    // among them.
    private const string Exporter =
        "uptime_in_seconds process_id io_threads_active connected_clients blocked_clients maxclients "
        + "tracking_clients clients_in_timeout_table pubsub_clients watching_clients total_watched_keys "
        + "total_blocking_keys total_blocking_keys_on_nokey client_recent_max_output_buffer "
        + "client_recent_max_input_buffer allocator_active allocator_allocated "
        + "allocator_frag_ratio allocator_frag_bytes allocator_resident allocator_rss_ratio "
        + "allocator_rss_bytes rss_overhead_ratio rss_overhead_bytes used_memory used_memory_rss "
        + "used_memory_peak used_memory_lua used_memory_vm_eval used_memory_scripts_eval "
        + "used_memory_overhead used_memory_startup "
        + "used_memory_dataset number_of_cached_scripts number_of_functions number_of_libraries "
        + "used_memory_vm_functions used_memory_scripts used_memory_functions used_memory_vm_total "
        + "maxmemory mem_fragmentation_ratio mem_fragmentation_bytes mem_clients_slaves "
        + "mem_clients_normal mem_cluster_links mem_aof_buffer mem_replication_backlog "
        + "mem_not_counted_for_evict mem_total_replication_buffers mem_overhead_db_hashtable_rehashing "
        + "total_system_memory active_defrag_running lazyfree_pending_objects lazyfreed_objects "
        + "expired_stale_perc migrate_cached_sockets active_defrag_hits active_defrag_misses "
        + "active_defrag_key_hits active_defrag_key_misses loading async_loading "
        + "rdb_changes_since_last_save rdb_bgsave_in_progress rdb_last_save_time rdb_last_bgsave_status "
        + "rdb_last_bgsave_time_sec rdb_current_bgsave_time_sec rdb_saves rdb_last_cow_size "
        + "rdb_last_load_keys_expired rdb_last_load_keys_loaded aof_enabled aof_rewrite_in_progress "
        + "aof_rewrite_scheduled aof_last_rewrite_time_sec aof_current_rewrite_time_sec "
        + "aof_last_cow_size aof_last_bgrewrite_status aof_last_write_status module_fork_in_progress "
        + "module_fork_last_cow_size current_cow_peak current_cow_size current_fork_perc "
        + "current_save_keys_processed current_save_keys_total pubsub_channels pubsub_patterns "
        + "pubsubshard_channels latest_fork_usec tracking_total_keys tracking_total_items "
        + "tracking_total_prefixes connected_slaves repl_backlog_size repl_backlog_active "
        + "repl_backlog_first_byte_offset repl_backlog_histlen master_repl_offset second_repl_offset "
        + "total_connections_received total_commands_processed rejected_connections "
        + "total_net_input_bytes total_net_output_bytes total_net_repl_input_bytes "
        + "total_net_repl_output_bytes expired_subkeys expired_keys expire_cycle_cpu_milliseconds "
        + "expired_time_cap_reached_count allocator_muzzy mem_replica_full_sync_buffer "
        + "evicted_keys evicted_clients evicted_scripts total_eviction_exceeded_time "
        + "current_eviction_exceeded_time keyspace_hits keyspace_misses used_cpu_sys used_cpu_user "
        + "used_cpu_sys_children used_cpu_user_children expired_keys_active expired_subkeys_active "
        + "io_threaded_total_prefetch_batches io_threaded_total_prefetch_entries slave_expires_tracked_keys "
        + "unexpected_error_replies total_error_replies dump_payload_sanitizations "
        + "total_reads_processed total_writes_processed io_threaded_reads_processed "
        + "io_threaded_writes_processed acl_access_denied_auth acl_access_denied_cmd "
        + "acl_access_denied_key acl_access_denied_channel cluster_enabled total_active_defrag_time "
        + "current_active_defrag_time redis_version redis_build_id redis_mode os role run_id tcp_port "
        + "master_replid maxmemory_policy mem_allocator instantaneous_ops_per_sec "
        + "instantaneous_input_kbps instantaneous_output_kbps paused_reason paused_actions "
        + "paused_timeout_milliseconds eventloop_cycles eventloop_duration_sum eventloop_duration_cmd_sum "
        + "instantaneous_eventloop_cycles_per_sec instantaneous_eventloop_duration_usec";

    private const string Insight =
        "redis_version redis_mode os arch_bits process_id tcp_port uptime_in_days uptime_in_seconds "
        + "hz lru_clock executable config_file connected_clients used_memory used_memory_human "
        + "used_memory_peak_human used_memory_rss_human maxmemory maxmemory_human maxmemory_policy "
        + "keyspace_hits keyspace_misses instantaneous_ops_per_sec instantaneous_input_kbps "
        + "instantaneous_output_kbps role total_system_memory total_system_memory_human "
        + "number_of_cached_scripts server_name";

    // ioredis waits while loading; StackExchange.Redis reads version, role and where the master is; both and
    // node-redis read the mode and the version.
    private const string Clients =
        "loading redis_version redis_mode role cluster_enabled run_id master_replid connected_slaves";

    [Theory]
    [InlineData(Exporter)]
    [InlineData(Insight)]
    [InlineData(Clients)]
    public void FieldsThatOthersReadAreThereOnce(string names)
    {
        using var server = new TestServer(loopCount: 2);
        string[] fields = [.. server.Connect().Call("INFO", "everything").Text.Split("\r\n")
            .Select(static line => line.Split(':')[0])];
        foreach (string name in names.Split(' '))
            Assert.True(fields.Count(field => field == name) == 1, $"{name} is not there once");
    }

    [Fact]
    public void ListenersAreThoseOfTheConfiguration()
    {
        using var server = new TestServer(1, null, ("port", "7001"), ("unixsocket", "/run/own.sock"));
        TestClient client = server.Connect();
        string info = client.Call("INFO", "server").Text;
        Assert.Contains("\r\nlistener0:name=tcp,bind=*,bind=-::*,port=7001\r\n", info,
            StringComparison.Ordinal);
        Assert.Contains("\r\nlistener1:name=unix,bind=/run/own.sock\r\n", info, StringComparison.Ordinal);
        using var local = new TestServer(1, null, ("port", "0"), ("unixsocket", "/run/own.sock"));
        info = local.Connect().Call("INFO", "server").Text;
        Assert.Contains("\r\nlistener1:name=unix,bind=/run/own.sock\r\n", info, StringComparison.Ordinal);
        Assert.DoesNotContain("listener0", info, StringComparison.Ordinal);
    }

    [Fact]
    public void ObjectsFreedInTheBackgroundAreCounted()
    {
        const int Count = 5000;
        using var server = new TestServer(1, new ManualClock());
        TestClient client = server.Connect();
        for (int index = 0; index < Count; index++)
            client.Send("SET", $"key:{index}", "value");
        server.Run();
        Assert.Equal(Count, client.Take().Count);
        client.Send("FLUSHALL", "ASYNC");
        client.Send("INFO", "memory");
        server.Turn();
        string info = client.Take()[1].Text;
        long pending = Field(info, "lazyfree_pending_objects");
        Assert.Equal(Count, pending + Field(info, "lazyfreed_objects"));
        Assert.True(pending > 0, "all are freed within the turn");
        server.Run();
        info = client.Call("INFO", "memory").Text;
        Assert.Equal((0, Count), (Field(info, "lazyfree_pending_objects"), Field(info, "lazyfreed_objects")));
    }

    [Fact]
    public void WhatUnlinkLeavesIsPendingUntilItsMemoryIsFree()
    {
        using var server = new TestServer(1, new ManualClock());
        TestClient client = server.Connect();
        long before = Field(client.Call("INFO", "memory").Text, "used_memory");
        foreach (int[] numbers in Enumerable.Range(0, 100_000).Chunk(500))
            client.Call(["SADD", "set", .. numbers.Select(static number => $"member:{number}")]);
        long full = Field(client.Call("INFO", "memory").Text, "used_memory");
        client.Send("UNLINK", "set");
        client.Send("INFO", "memory");
        server.Turn();
        string info = client.Take()[1].Text;
        Assert.Equal((1, 0), (Field(info, "lazyfree_pending_objects"), Field(info, "lazyfreed_objects")));
        server.Run();
        info = client.Call("INFO", "memory").Text;
        Assert.Equal((0, 1), (Field(info, "lazyfree_pending_objects"), Field(info, "lazyfreed_objects")));
        Assert.True(Field(info, "used_memory") - before < (full - before) / 2, info);
    }

    [Fact]
    public void ExpiryThatStopsAtItsLimitIsCounted()
    {
        const int Count = 20_000;
        var clock = new ManualClock();
        using var server = new TestServer(1, clock);
        TestClient client = server.Connect();
        client.Run("PSETEX few 10 value");
        clock.Advance(20_000);
        server.Run();
        Assert.Equal(0, Field(client.Call("INFO", "stats").Text, "expired_time_cap_reached_count"));
        for (int index = 0; index < Count; index++)
            client.Send("PSETEX", $"key:{index}", "10", "value");
        server.Run();
        client.Take();
        clock.Advance(20_000);
        server.Run();
        string info = client.Call("INFO", "stats").Text;
        Assert.Equal(Count + 1, Field(info, "expired_keys"));
        Assert.True(Field(info, "expired_time_cap_reached_count") > 0, "it never stopped at its limit");
        client.Run("CONFIG RESETSTAT");
        Assert.Equal(0, Field(client.Call("INFO", "stats").Text, "expired_time_cap_reached_count"));
    }

    [Fact]
    public void BigValuesCountOnceInMemory()
    {
        const int Size = 8 << 20;
        using var server = new TestServer(1, new ManualClock());
        TestClient client = server.Connect();
        string before = client.Call("INFO", "memory").Text;
        client.Call("SETRANGE", "big", $"{Size - 1}", "x");
        client.Call("SET", "other", new string('x', Size));
        string info = client.Call("INFO", "memory").Text;
        long used = Field(info, "used_memory") - Field(before, "used_memory");
        long active = Field(info, "allocator_active") - Field(before, "allocator_active");
        Assert.InRange(used, Size, (long)(2.2 * Size));
        Assert.InRange(active, used, (3 * Size) + (8 << 20));
        Assert.True(Field(info, "used_memory_dataset") <= Field(info, "used_memory"));
        Assert.InRange(Field(info, "allocator_resident"),
            Field(info, "allocator_active"), server.Engine.Keyspace.MappedBytes);
    }

    [Fact]
    public void StatisticsOfErrorsCommandsAndLatenciesAreTrue()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient one = server.Connect(0);
        TestClient other = server.Connect(1);
        one.Run("SET key text");
        one.Run("CONFIG RESETSTAT");
        one.Run("GET key");
        other.Run("GET key");
        other.Run("INCR key");
        other.Run("GET");
        other.Run("NOSUCH");
        other.Run("AUTH nobody wrong");
        string info = one.Call("INFO", "everything").Text;
        Assert.Contains("\r\ncmdstat_get:calls=2,usec=", info, StringComparison.Ordinal);
        Assert.Contains("rejected_calls=1,failed_calls=0\r\n", LineOf(info, "cmdstat_get"),
            StringComparison.Ordinal);
        Assert.Contains("calls=1,", LineOf(info, "cmdstat_incr"), StringComparison.Ordinal);
        Assert.EndsWith("rejected_calls=0,failed_calls=1\r\n", LineOf(info, "cmdstat_incr"),
            StringComparison.Ordinal);
        Assert.DoesNotContain("cmdstat_set:", info, StringComparison.Ordinal);
        Assert.Contains("# Errorstats\r\nerrorstat_ERR:count=3\r\nerrorstat_WRONGPASS:count=1\r\n", info,
            StringComparison.Ordinal);
        Assert.Equal(4, Field(info, "total_error_replies"));
        Assert.Equal(1, Field(info, "acl_access_denied_auth"));
        Assert.Matches(@"latency_percentiles_usec_get:p50=[\d.]+,p99=[\d.]+,p99.9=[\d.]+\r\n", info);
    }

    [Fact]
    public void SizesOfKeysAreCountedByPowersOfTwo()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        Assert.Equal("# Keysizes\r\n", client.Call("INFO", "keysizes").Text[^"# Keysizes\r\n".Length..]);
        client.Run("SET empty ''");
        client.Call("SET", "none", "");
        client.Run("SET one 1");
        client.Run("SET other 12345678901");
        client.Run("SETRANGE long 1023 x");
        client.Run("SETRANGE longer 3000000 x");
        client.Run("RPUSH list a b c d e");
        client.Run("ZADD zset 1 a 2 b 3 c");
        client.Run("HSET hash a 1 b 2 c 3 d 4");
        client.Call("HSET", "table", "a", new string('x', 100));
        client.Run("HSETEX volatile EX 100 FIELDS 2 a 1 b 2");
        client.Run("SELECT 3");
        client.Run("SETRANGE there 9 x");
        string info = client.Call("INFO", "keysizes").Text;
        Assert.EndsWith("# Keysizes\r\ndb0_distrib_strings_sizes:0=1,1=1,2=1,8=1,1K=1,2M=1\r\n"
            + "db0_distrib_lists_items:4=1\r\ndb0_distrib_zsets_items:2=1\r\n"
            + "db0_distrib_hashes_items:1=1,2=1,4=1\r\n"
            + "db3_distrib_strings_sizes:8=1\r\n", info, StringComparison.Ordinal);
        Assert.Equal(info, client.Call("INFO", "KEYSIZES").Text);
        Assert.DoesNotContain("# Keysizes", client.Call("INFO").Text, StringComparison.Ordinal);
        Assert.DoesNotContain("# Keysizes", client.Call("INFO", "all").Text, StringComparison.Ordinal);
        client.Run("MULTI");
        client.Run("INFO keysizes");
        Assert.Equal(info, client.Call("EXEC").Items[0].Text);
    }

    [Fact]
    public void APauseIsShown()
    {
        using var server = new TestServer(1, new ManualClock());
        TestClient client = server.Connect();
        string info = client.Call("INFO", "clients").Text;
        Assert.Contains("\r\npaused_reason:none\r\npaused_actions:none\r\npaused_timeout_milliseconds:0\r\n",
            info, StringComparison.Ordinal);
        client.Run("CLIENT PAUSE 1000 WRITE");
        info = client.Call("INFO", "clients").Text;
        Assert.Contains("\r\npaused_reason:client_pause\r\npaused_actions:write\r\n", info,
            StringComparison.Ordinal);
        Assert.InRange(Field(info, "paused_timeout_milliseconds"), 1, 1000);
        Assert.Equal(0, Field(info, "blocked_clients"));
    }

    [Fact]
    public void PausedAndWaitingClientsAreBlocked()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect(0);
        TestClient writer = server.Connect(1);
        TestClient other = server.Connect(1);
        client.Run("CLIENT PAUSE 100000 WRITE");
        writer.Send("SET", "key", "v");
        other.Send("MULTI");
        other.Send("PUBLISH", "c", "m");
        other.Send("EXEC");
        server.Run();
        Assert.Equal(2, Field(client.Call("INFO", "clients").Text, "blocked_clients"));
        client.Run("CLIENT UNPAUSE");
        writer.Send("WAIT", "1", "0");
        server.Run();
        Assert.Equal(1, Field(client.Call("INFO", "clients").Text, "blocked_clients"));
    }

    [Fact]
    public void TheErrorsOfATransactionsCommandsAreTheirOwn()
    {
        using var server = new TestServer(loopCount: 2);
        TestClient client = server.Connect();
        client.Run("SET key text");
        client.Run("CONFIG RESETSTAT");
        client.Run("MULTI");
        client.Run("INCR key");
        client.Run("GET key");
        Assert.Equal(2, client.Call("EXEC").Items.Count);
        string info = client.Call("INFO", "everything").Text;
        Assert.EndsWith("failed_calls=1\r\n", LineOf(info, "cmdstat_incr"), StringComparison.Ordinal);
        Assert.EndsWith("failed_calls=0\r\n", LineOf(info, "cmdstat_exec"), StringComparison.Ordinal);
        client.Run("EXEC");
        info = client.Call("INFO", "everything").Text;
        Assert.EndsWith("failed_calls=1\r\n", LineOf(info, "cmdstat_exec"), StringComparison.Ordinal);
        Assert.Equal(2, Field(info, "total_error_replies"));
    }

    [Fact]
    public void TheTimeOfTheLoopsIsMeasured()
    {
        var clock = new ManualClock();
        using var server = new TestServer(loopCount: 2, clock);
        TestClient client = server.Connect();
        // The sampling of a rate begins with its second sample.
        for (int count = 0; count < 20; count++)
        {
            client.Run("PING");
            clock.Advance(100_000);
        }

        string info = client.Call("INFO", "stats", "debug").Text;
        Assert.Equal(0, Field(info, "eventloop_duration_sum"));
        Assert.Equal(0, Field(info, "instantaneous_eventloop_duration_usec"));
        Assert.True(Field(info, "eventloop_cycles") >= 20);
        Assert.True(Field(info, "instantaneous_eventloop_cycles_per_sec") >= 10);
        Assert.Equal(0, Field(info, "eventloop_duration_aof_sum"));
        Assert.Equal(0, Field(info, "eventloop_duration_cron_sum"));
        Assert.Equal(0, Field(info, "eventloop_duration_max"));
        Assert.Equal(1, Field(info, "eventloop_cmd_per_cycle_max"));
        for (int count = 0; count < 7; count++)
            client.Send("PING");
        server.Run();
        client.Drain();
        client.Take();
        server.Engine.Loops[0].Run(() => clock.Advance(500));
        server.Run();
        info = client.Call("INFO", "stats", "debug").Text;
        Assert.Equal(500, Field(info, "eventloop_duration_sum"));
        Assert.Equal(500, Field(info, "eventloop_duration_max"));
        Assert.Equal(7, Field(info, "eventloop_cmd_per_cycle_max"));
        client.Run("CONFIG RESETSTAT");
        info = client.Call("INFO", "stats", "debug").Text;
        Assert.Equal(0, Field(info, "eventloop_duration_sum"));
        Assert.Equal(0, Field(info, "eventloop_duration_max"));
        Assert.DoesNotContain("eventloop_duration_max", client.Call("INFO", "everything").Text,
            StringComparison.Ordinal);
    }

    private static long Field(string info, string name) =>
        long.Parse(LineOf(info, name)[(name.Length + 1)..], CultureInfo.InvariantCulture);

    private static string LineOf(string info, string name)
    {
        int start = info.IndexOf($"\n{name}:", StringComparison.Ordinal) + 1;
        Assert.True(start > 0, $"{name} is missing");
        return info[start..(info.IndexOf('\n', start) + 1)];
    }
}
