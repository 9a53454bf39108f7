using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Server;

/// <summary>INFO: what was counted and measured.</summary>
internal static class StatisticsInfo
{
    private const double NsPerUs = 1000;
    private const double BytesPerKilobyte = 1024;

    /// <summary>Section threads: the loops.</summary>
    public static void WriteThreads(InfoText text, ServerEngine engine)
    {
        Span<long> clients = new long[engine.LoopCount];
        foreach (Session session in engine.Sessions.All)
            clients[session.Loop.Index]++;
        text.Section("Threads");
        foreach (Loop loop in engine.Loops)
        {
            text.Field($"io_thread_{loop.Index}", string.Create(CultureInfo.InvariantCulture,
                $"clients={clients[loop.Index]},reads={loop.Statistics.ReadCount},"
                + $"writes={loop.Statistics.WriteCount}"));
        }
    }

    /// <summary>Section stats.</summary>
    public static void WriteStats(InfoText text, ServerEngine engine)
    {
        ServerStatistics statistics = engine.Statistics;
        StatisticsTotals totals = statistics.Totals;
        text.Section("Stats");
        text.Field("total_connections_received", engine.Sessions.AcceptedCount);
        text.Field("total_commands_processed", totals.CommandCount);
        text.Field("instantaneous_ops_per_sec", statistics.CommandsPerSecond);
        text.Field("total_net_input_bytes", totals.BytesReceived);
        text.Field("total_net_output_bytes", totals.BytesSent);
        text.Field("total_net_repl_input_bytes", 0);
        text.Field("total_net_repl_output_bytes", 0);
        text.Field("total_net_cluster_slot_import_bytes", 0);
        text.Field("total_net_cluster_slot_export_bytes", 0);
        text.Field("instantaneous_input_kbps", statistics.BytesInPerSecond / BytesPerKilobyte);
        text.Field("instantaneous_output_kbps", statistics.BytesOutPerSecond / BytesPerKilobyte);
        text.Field("instantaneous_input_repl_kbps", 0.0);
        text.Field("instantaneous_output_repl_kbps", 0.0);
        text.Field("rejected_connections", engine.Sessions.RejectedCount);
        text.Field("sync_full", 0);
        text.Field("sync_partial_ok", 0);
        text.Field("sync_partial_err", 0);
        WriteExpired(text, totals);
        text.Field("evicted_keys", 0);
        text.Field("evicted_clients", 0);
        text.Field("evicted_scripts", 0);
        text.Field("total_eviction_exceeded_time", 0);
        text.Field("current_eviction_exceeded_time", 0);
        text.Field("keyspace_hits", totals.HitCount);
        text.Field("keyspace_misses", totals.MissCount);
        text.Field("pubsub_channels", engine.Channels.ChannelCount);
        text.Field("pubsub_patterns", engine.Channels.PatternCount);
        text.Field("pubsubshard_channels", engine.ShardChannels.ChannelCount);
        text.Field("latest_fork_usec", 0);
        text.Field("total_forks", 0);
        text.Field("migrate_cached_sockets", 0);
        text.Field("slave_expires_tracked_keys", 0);
        text.Field("active_defrag_hits", 0);
        text.Field("active_defrag_misses", 0);
        text.Field("active_defrag_key_hits", 0);
        text.Field("active_defrag_key_misses", 0);
        text.Field("total_active_defrag_time", 0);
        text.Field("current_active_defrag_time", 0);
        text.Field("tracking_total_keys", 0);
        text.Field("tracking_total_items", 0);
        text.Field("tracking_total_prefixes", 0);
        text.Field("unexpected_error_replies", 0);
        text.Field("total_error_replies", engine.Errors.TotalCount);
        text.Field("total_reads_processed", totals.ReadCount);
        text.Field("total_writes_processed", totals.WriteCount);
        text.Field("dump_payload_sanitizations", 0);
        bool isThreaded = engine.LoopCount > 1;
        text.Field("io_threaded_reads_processed", isThreaded ? totals.ReadCount : 0);
        text.Field("io_threaded_writes_processed", isThreaded ? totals.WriteCount : 0);
        text.Field("io_threaded_total_prefetch_batches", isThreaded ? totals.PrefetchBatchCount : 0);
        text.Field("io_threaded_total_prefetch_entries", isThreaded ? totals.PrefetchEntryCount : 0);
        text.Field("client_query_buffer_limit_disconnections", totals.QueryBufferCloseCount);
        text.Field("client_output_buffer_limit_disconnections", totals.OutputBufferCloseCount);
        text.Field("reply_buffer_shrinks", 0);
        text.Field("reply_buffer_expands", 0);
        text.Field("eventloop_cycles", totals.TurnCount);
        text.Field("eventloop_duration_sum", totals.TurnUs);
        text.Field("eventloop_duration_cmd_sum", statistics.CommandElapsedNs / 1000);
        text.Field("instantaneous_eventloop_cycles_per_sec", statistics.TurnsPerSecond);
        text.Field("instantaneous_eventloop_duration_usec", statistics.TurnUs);
        WriteDenied(text, engine);
    }

    /// <summary>Section debug, which only its name shows.</summary>
    public static void WriteDebug(InfoText text, ServerEngine engine)
    {
        (long turnUsMax, long commandCountMax) = (0, 0);
        foreach (Loop loop in engine.Loops)
        {
            turnUsMax = Math.Max(turnUsMax, loop.Statistics.TurnUsMax);
            commandCountMax = Math.Max(commandCountMax, loop.Statistics.TurnCommandCountMax);
        }

        text.Section("Debug");
        text.Field("eventloop_duration_aof_sum", 0);
        text.Field("eventloop_duration_cron_sum", engine.Statistics.Totals.CronUs);
        text.Field("eventloop_duration_max", turnUsMax);
        text.Field("eventloop_cmd_per_cycle_max", commandCountMax);
    }

    private static void WriteExpired(InfoText text, in StatisticsTotals totals)
    {
        text.Field("expired_subkeys", totals.ExpiredFieldCount);
        text.Field("expired_subkeys_active", totals.ReapedFieldCount);
        text.Field("expired_fields", totals.ExpiredFieldCount);
        text.Field("expired_keys", totals.ExpiredCount);
        text.Field("expired_keys_active", totals.ReapedCount);
        text.Field("expired_stale_perc", 0.0);
        text.Field("expired_keys_with_volatile_items_stale_perc", 0.0);
        text.Field("expired_time_cap_reached_count", totals.ExpireStopCount);
        text.Field("expire_cycle_cpu_milliseconds", totals.ExpireUs / 1000);
    }

    // There are no access lists: what can be denied is only a wrong password.
    private static void WriteDenied(InfoText text, ServerEngine engine)
    {
        long denied = 0;
        foreach ((string code, long count) in engine.Errors.List())
            denied += code == "WRONGPASS" ? count : 0;
        text.Field("acl_access_denied_auth", denied);
        text.Field("acl_access_denied_cmd", 0);
        text.Field("acl_access_denied_key", 0);
        text.Field("acl_access_denied_channel", 0);
        text.Field("acl_access_denied_tls_cert", 0);
    }

    /// <summary>Section cpu: of the whole process, of the first loop's thread, and what the loops' turns
    /// took.</summary>
    public static void WriteCpu(InfoText text, ServerEngine engine)
    {
        text.Section("CPU");
        if (OperatingSystem.IsBrowser() || OperatingSystem.IsIOS() || OperatingSystem.IsTvOS())
            return;
        Environment.ProcessCpuUsage used = Environment.CpuUsage;
        text.Field("used_cpu_sys", Seconds(used.PrivilegedTime));
        text.Field("used_cpu_user", Seconds(used.UserTime));
        text.Field("used_cpu_sys_children", Seconds(default));
        text.Field("used_cpu_user_children", Seconds(default));
        if (OperatingSystem.IsLinux())
        {
            (TimeSpan user, TimeSpan system) = engine.MainThread?.Read() ?? default;
            text.Field("used_cpu_sys_main_thread", Seconds(system));
            text.Field("used_cpu_user_main_thread", Seconds(user));
        }

        foreach (Loop loop in engine.Loops)
        {
            string name = loop.Index == 0 ? "main_thread" : $"io_thread_{loop.Index}";
            var active = TimeSpan.FromMicroseconds(loop.Statistics.TurnUs);
            text.Field("used_active_time_" + name, Seconds(active));
        }

        static string Seconds(TimeSpan time) =>
            time.TotalSeconds.ToString("F6", CultureInfo.InvariantCulture);
    }

    /// <summary>Section commandstats: commands that were called or refused.</summary>
    public static void WriteCommands(InfoText text, ServerEngine engine)
    {
        text.Section("Commandstats");
        foreach (CommandSpec spec in CommandCatalog.Specs[1..])
        {
            CommandStatistics one = engine.Statistics.OfCommand(spec);
            if (one.CallCount == 0 && one.RejectedCount == 0 && one.FailedCount == 0)
                continue;
            double us = one.ElapsedNs / NsPerUs;
            text.Field("cmdstat_" + spec.Name, string.Create(CultureInfo.InvariantCulture,
                $"calls={one.CallCount},usec={(long)us},"
                + $"usec_per_call={(one.CallCount == 0 ? 0 : us / one.CallCount):F2},"
                + $"rejected_calls={one.RejectedCount},failed_calls={one.FailedCount}"));
        }
    }

    /// <summary>Section errorstats: how often each code was replied.</summary>
    public static void WriteErrors(InfoText text, ServerEngine engine)
    {
        text.Section("Errorstats");
        foreach ((string code, long count) in engine.Errors.List())
            text.Field("errorstat_" + code, string.Create(CultureInfo.InvariantCulture, $"count={count}"));
    }

    /// <summary>
    /// Section latencystats: percentiles of commands that were called, while they are tracked.
    /// </summary>
    public static void WriteLatencies(InfoText text, ServerEngine engine)
    {
        text.Section("Latencystats");
        if (!engine.Settings.IsLatencyTracked)
            return;
        foreach (CommandSpec spec in CommandCatalog.Specs[1..])
        {
            if (engine.Statistics.OfCommand(spec).Latency is not { } latency)
                continue;
            var values = new StringBuilder();
            foreach (double percentile in engine.Settings.LatencyPercentiles)
            {
                values.Append(values.Length == 0 ? "p" : ",p");
                values.Append(CultureInfo.InvariantCulture,
                    $"{percentile:0.######}={latency.PercentileNs(percentile) / NsPerUs:F3}");
            }

            text.Field("latency_percentiles_usec_" + spec.Name, values.ToString());
        }
    }

    /// <summary>Section keyspace: databases that hold keys.</summary>
    public static void WriteKeyspace(InfoText text, ServerEngine engine)
    {
        text.Section("Keyspace");
        Keyspace.Keyspace keyspace = engine.Keyspace;
        long nowMs = engine.Clock.UnixMicroseconds / 1000;
        for (int database = 0; database < keyspace.DatabaseCount; database++)
        {
            long count = keyspace.Count(database);
            if (count == 0)
                continue;
            text.Field($"db{database}", string.Create(CultureInfo.InvariantCulture,
                $"keys={count},expires={keyspace.VolatileCount(database)},"
                + $"avg_ttl={keyspace.MeanTimeToLiveMs(database, nowMs)},"
                + $"subexpiry={keyspace.VolatileFieldsCount(database)}"));
        }
    }
}
