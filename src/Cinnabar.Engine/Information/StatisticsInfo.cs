using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Specs;
using Cinnabar.Engine.Statistics;
using Cinnabar.Keyspace;
using Cinnabar.Security.Logging;

namespace Cinnabar.Engine.Information;

/// <summary>INFO: counters and measurements.</summary>
internal static class StatisticsInfo
{
    private const double NsPerUs = 1000;
    private const double BytesPerKilobyte = 1024;

    /// <summary>Section threads: the loops.</summary>
    public static void WriteThreads(InfoText text, ServerEngine engine)
    {
        text.Section("Threads"u8);
        foreach (Loop loop in engine.Loops)
        {
            text.Append($"io_thread_{loop.Index}:clients={loop.Sessions.Count},");
            text.Line($"reads={loop.Statistics.ReadCount},writes={loop.Statistics.WriteCount}");
        }
    }

    /// <summary>Section stats.</summary>
    public static void WriteStats(InfoText text, ServerEngine engine)
    {
        ServerStatistics statistics = engine.Statistics;
        StatisticsTotals totals = statistics.Totals;
        text.Section("Stats"u8);
        text.Field("total_connections_received"u8, engine.Sessions.AcceptedCount);
        text.Field("total_commands_processed"u8, totals.CommandCount);
        text.Field("instantaneous_ops_per_sec"u8, statistics.CommandsPerSecond);
        text.Field("total_net_input_bytes"u8, totals.BytesReceived);
        text.Field("total_net_output_bytes"u8, totals.BytesSent);
        text.Field("total_net_repl_input_bytes"u8, totals.MasterBytesReceived);
        text.Field("total_net_repl_output_bytes"u8, totals.ReplicaBytesSent);
        text.Field("total_net_cluster_slot_import_bytes"u8, 0);
        text.Field("total_net_cluster_slot_export_bytes"u8, 0);
        text.Field("instantaneous_input_kbps"u8, statistics.BytesInPerSecond / BytesPerKilobyte);
        text.Field("instantaneous_output_kbps"u8, statistics.BytesOutPerSecond / BytesPerKilobyte);
        text.Field("instantaneous_input_repl_kbps"u8, statistics.MasterBytesInPerSecond / BytesPerKilobyte);
        text.Field("instantaneous_output_repl_kbps"u8,
            statistics.ReplicaBytesOutPerSecond / BytesPerKilobyte);
        text.Field("rejected_connections"u8, engine.Sessions.RejectedCount);
        text.Field("sync_full"u8, engine.Replication.FullCount);
        text.Field("sync_partial_ok"u8, engine.Replication.PartialCount);
        text.Field("sync_partial_err"u8, engine.Replication.RefusedPartialCount);
        WriteExpired(text, totals);
        text.Field("evicted_keys"u8, totals.EvictedCount);
        text.Field("evicted_clients"u8, engine.MemoryLimit.Clients.EvictedCount);
        text.Field("evicted_scripts"u8, engine.Scripts.EvictedCount);
        text.Field("total_eviction_exceeded_time"u8, engine.MemoryLimit.ExceededUs / 1000);
        text.Field("current_eviction_exceeded_time"u8, engine.MemoryLimit.ExceededNowUs / 1000);
        text.Field("keyspace_hits"u8, totals.HitCount);
        text.Field("keyspace_misses"u8, totals.MissCount);
        text.Field("pubsub_channels"u8, engine.Channels.ChannelCount);
        text.Field("pubsub_patterns"u8, engine.Channels.PatternCount);
        text.Field("pubsubshard_channels"u8, engine.ShardChannels.ChannelCount);
        text.Field("latest_fork_usec"u8, engine.Data.Snapshots.LastMomentUs);
        text.Field("total_forks"u8, engine.Data.Snapshots.Count);
        text.Field("migrate_cached_sockets"u8, engine.Data.Migrations.Count);
        text.Field("slave_expires_tracked_keys"u8, OwnDeadlines.CountIn(engine.Keyspace));
        text.Field("active_defrag_hits"u8, engine.MemoryLimit.Defrag.Counts.Moved);
        text.Field("active_defrag_misses"u8, engine.MemoryLimit.Defrag.Counts.Stayed);
        text.Field("active_defrag_key_hits"u8, engine.MemoryLimit.Defrag.Counts.MovedKeys);
        text.Field("active_defrag_key_misses"u8, engine.MemoryLimit.Defrag.Counts.StayedKeys);
        text.Field("total_active_defrag_time"u8, engine.MemoryLimit.Defrag.TotalMs);
        text.Field("current_active_defrag_time"u8, engine.MemoryLimit.Defrag.CurrentMs);
        text.Field("tracking_total_keys"u8, engine.Tracking.KeyCount);
        text.Field("tracking_total_items"u8, engine.Tracking.ItemCount);
        text.Field("tracking_total_prefixes"u8, engine.Tracking.PrefixCount);
        text.Field("unexpected_error_replies"u8, 0);
        text.Field("total_error_replies"u8, engine.Errors.TotalCount);
        text.Field("total_reads_processed"u8, totals.ReadCount);
        text.Field("total_writes_processed"u8, totals.WriteCount);
        text.Field("dump_payload_sanitizations"u8, 0);
        bool isThreaded = engine.LoopCount > 1;
        text.Field("io_threaded_reads_processed"u8, isThreaded ? totals.ReadCount : 0);
        text.Field("io_threaded_writes_processed"u8, isThreaded ? totals.WriteCount : 0);
        text.Field("io_threaded_total_prefetch_batches"u8, isThreaded ? totals.PrefetchBatchCount : 0);
        text.Field("io_threaded_total_prefetch_entries"u8, isThreaded ? totals.PrefetchEntryCount : 0);
        text.Field("client_query_buffer_limit_disconnections"u8, totals.QueryBufferCloseCount);
        text.Field("client_output_buffer_limit_disconnections"u8, totals.OutputBufferCloseCount);
        text.Field("reply_buffer_shrinks"u8, 0);
        text.Field("reply_buffer_expands"u8, 0);
        text.Field("eventloop_cycles"u8, totals.TurnCount);
        text.Field("eventloop_duration_sum"u8, totals.TurnUs);
        text.Field("eventloop_duration_cmd_sum"u8, statistics.CommandElapsedNs / 1000);
        text.Field("instantaneous_eventloop_cycles_per_sec"u8, statistics.TurnsPerSecond);
        text.Field("instantaneous_eventloop_duration_usec"u8, statistics.TurnUs);
        WriteDenied(text, engine);
    }

    /// <summary>Section debug, shown only by its name.</summary>
    public static void WriteDebug(InfoText text, ServerEngine engine)
    {
        (long turnUsMax, long commandCountMax) = (0, 0);
        foreach (Loop loop in engine.Loops)
        {
            turnUsMax = Math.Max(turnUsMax, loop.Statistics.TurnUsMax);
            commandCountMax = Math.Max(commandCountMax, loop.Statistics.TurnCommandCountMax);
        }

        text.Section("Debug"u8);
        text.Field("eventloop_duration_aof_sum"u8, engine.Data.Journal.WriteUs);
        text.Field("eventloop_duration_cron_sum"u8, engine.Statistics.Totals.CronUs);
        text.Field("eventloop_duration_max"u8, turnUsMax);
        text.Field("eventloop_cmd_per_cycle_max"u8, commandCountMax);
    }

    private static void WriteExpired(InfoText text, in StatisticsTotals totals)
    {
        text.Field("expired_subkeys"u8, totals.ExpiredFieldCount);
        text.Field("expired_subkeys_active"u8, totals.ReapedFieldCount);
        text.Field("expired_fields"u8, totals.ExpiredFieldCount);
        text.Field("expired_keys"u8, totals.ExpiredCount);
        text.Field("expired_keys_active"u8, totals.ReapedCount);
        text.Field("expired_stale_perc"u8, 0.0);
        text.Field("expired_keys_with_volatile_items_stale_perc"u8, 0.0);
        text.Field("expired_time_cap_reached_count"u8, totals.ExpireStopCount);
        text.Field("expire_cycle_cpu_milliseconds"u8, totals.ExpireUs / 1000);
    }

    // The text before each percentile in a line.
    private static byte[][] NamesOf(double[] percentiles)
    {
        var names = new byte[percentiles.Length][];
        for (int index = 0; index < names.Length; index++)
        {
            string name = percentiles[index].ToString("0.######", CultureInfo.InvariantCulture);
            names[index] = Encoding.ASCII.GetBytes($"{(index == 0 ? "" : ",")}p{name}=");
        }

        return names;
    }

    private static void WriteDenied(InfoText text, ServerEngine engine)
    {
        AccessDenials denials = engine.Access.Denials;
        text.Field("acl_access_denied_auth"u8, denials.Of(DenialReason.Authentication));
        text.Field("acl_access_denied_cmd"u8, denials.Of(DenialReason.Command));
        text.Field("acl_access_denied_key"u8, denials.Of(DenialReason.Key));
        text.Field("acl_access_denied_channel"u8, denials.Of(DenialReason.Channel));
        text.Field("acl_access_denied_db"u8, denials.Of(DenialReason.Database));
        text.Field("acl_access_denied_tls_cert"u8, denials.Of(DenialReason.Certificate));
    }

    /// <summary>Section cpu: of the whole process, of the first loop's thread, and of the loops'
    /// turns.</summary>
    public static void WriteCpu(InfoText text, ServerEngine engine)
    {
        text.Section("CPU"u8);
        if (OperatingSystem.IsBrowser() || OperatingSystem.IsIOS() || OperatingSystem.IsTvOS())
            return;
        Environment.ProcessCpuUsage used = Environment.CpuUsage;
        text.Seconds("used_cpu_sys"u8, used.PrivilegedTime);
        text.Seconds("used_cpu_user"u8, used.UserTime);
        text.Seconds("used_cpu_sys_children"u8, default);
        text.Seconds("used_cpu_user_children"u8, default);
        if (OperatingSystem.IsLinux())
        {
            (TimeSpan user, TimeSpan system) = engine.MainThread?.Read() ?? default;
            text.Seconds("used_cpu_sys_main_thread"u8, system);
            text.Seconds("used_cpu_user_main_thread"u8, user);
        }

        foreach (Loop loop in engine.Loops)
        {
            if (loop.Index == 0)
                text.Append("used_active_time_main_thread:"u8);
            else
                text.Append($"used_active_time_io_thread_{loop.Index}:");
            text.AppendSeconds(loop.Statistics.TurnUs);
            text.EndLine();
        }
    }

    /// <summary>Section commandstats: commands that were called or refused.</summary>
    public static void WriteCommands(InfoText text, ServerEngine engine)
    {
        text.Section("Commandstats"u8);
        foreach (CommandSpec spec in CommandCatalog.Specs[1..])
        {
            CommandStatistics one = engine.Statistics.CountsOf(spec);
            if (one.CallCount == 0 && one.RejectedCount == 0 && one.FailedCount == 0)
                continue;
            double us = one.ElapsedNs / NsPerUs;
            text.Append($"cmdstat_{spec.NameBytes}:calls={one.CallCount},usec={(long)us},");
            text.Append($"usec_per_call={(one.CallCount == 0 ? 0 : us / one.CallCount):F2},");
            text.Line($"rejected_calls={one.RejectedCount},failed_calls={one.FailedCount}");
        }
    }

    /// <summary>Section errorstats: how often each code was replied.</summary>
    public static void WriteErrors(InfoText text, ServerEngine engine)
    {
        text.Section("Errorstats"u8);
        foreach (byte[] code in engine.Errors.Codes)
        {
            long count = engine.Errors.CountOf(code);
            if (count > 0)
                text.Line($"errorstat_{Plain(code)}:count={count}");
        }
    }

    // A script may make up a code with what separates the fields.
    private static byte[] Plain(byte[] code)
    {
        if (code.AsSpan().IndexOfAny(":#"u8) < 0)
            return code;
        byte[] plain = [.. code];
        plain.AsSpan().Replace((byte)':', (byte)'_');
        plain.AsSpan().Replace((byte)'#', (byte)'_');
        return plain;
    }

    /// <summary>
    /// Section latencystats: percentiles of commands that were called, while they are tracked.
    /// </summary>
    public static void WriteLatencies(InfoText text, ServerEngine engine)
    {
        text.Section("Latencystats"u8);
        if (!engine.Settings.IsLatencyTracked)
            return;
        double[] percentiles = engine.Settings.LatencyPercentiles;
        byte[][] names = NamesOf(percentiles);
        var latency = new LatencyHistogram();
        foreach (CommandSpec spec in CommandCatalog.Specs[1..])
        {
            if (!engine.Statistics.TryReadLatency(spec, latency))
                continue;
            text.Append($"latency_percentiles_usec_{spec.NameBytes}:");
            long totalCount = latency.TotalCount;
            for (int index = 0; index < percentiles.Length; index++)
            {
                text.Append(names[index]);
                text.AppendMicroseconds(latency.PercentileNs(percentiles[index], totalCount));
            }

            text.EndLine();
        }
    }

    /// <summary>Section keyspace: databases that hold keys.</summary>
    public static void WriteKeyspace(InfoText text, ServerEngine engine)
    {
        text.Section("Keyspace"u8);
        Keyspace.Keyspace keyspace = engine.Keyspace;
        long nowMs = engine.Clock.UnixMicroseconds / 1000;
        for (int database = 0; database < keyspace.DatabaseCount; database++)
        {
            long count = keyspace.Count(database);
            if (count == 0)
                continue;
            text.Append($"db{database}:keys={count},expires={keyspace.VolatileCount(database)},");
            text.Append($"avg_ttl={keyspace.MeanTimeToLiveMs(database, nowMs)},");
            text.Line($"subexpiry={keyspace.VolatileFieldsCount(database)}");
        }
    }
}
