using System;
using System.Globalization;
using Cinnabar.Engine.Blocking;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Server;

/// <summary>INFO: what the server is, who is connected, what it is to other servers.</summary>
internal static class ServerInfo
{
    private const long DayS = 86_400;
    private const long UsPerS = 1_000_000;

    /// <summary>Section server.</summary>
    public static void WriteServer(InfoText text, ServerEngine engine)
    {
        Settings settings = engine.Settings;
        long nowUs = engine.Clock.UnixMicroseconds;
        long uptimeS = Math.Max(0, nowUs - engine.StartedUs) / UsPerS;
        text.Section("Server");
        text.Field("redis_version", ServerVersion.Redis);
        text.Field("server_name", "cinnabar");
        text.Field("cinnabar_version", ServerVersion.Cinnabar);
        text.Field("redis_git_sha1", ServerVersion.Commit);
        text.Field("redis_git_dirty", 0);
        text.Field("redis_build_id", ServerVersion.Commit);
        text.Field("redis_mode", "standalone");
        text.Field("os", SystemName.Full);
        text.Field("arch_bits", nint.Size * 8);
        text.Field("dotnet_version", Environment.Version.ToString());
        if (!OperatingSystem.IsWindows())
            text.Field("monotonic_clock", "POSIX clock_gettime");
        bool isEpoll = OperatingSystem.IsLinux() && settings.Transport != TransportChoice.Portable;
        text.Field("multiplexing_api", isEpoll ? "epoll" : "sockets");
        text.Field("process_id", Environment.ProcessId);
        text.Field("process_supervised", SupervisorName(engine.Configuration.TextOf("supervised")));
        text.Field("run_id", engine.RunId);
        text.Field("tcp_port", settings.Port);
        text.Field("server_time_usec", nowUs);
        text.Field("uptime_in_seconds", uptimeS);
        text.Field("uptime_in_days", uptimeS / DayS);
        text.Field("hz", settings.Hz);
        text.Field("configured_hz", settings.Hz);
        text.Field("clients_hz", settings.Hz);
        text.Field("lru_clock", nowUs / UsPerS & 0xFF_FFFF);
        text.Field("executable", Environment.ProcessPath ?? "");
        text.Field("config_file", engine.Configuration.FilePath ?? "");
        text.Field("availability_zone", engine.Configuration.TextOf("availability-zone"));
        text.Field("io_threads_active", engine.LoopCount > 1 ? 1 : 0);
        WriteListeners(text, settings);
    }

    /// <summary>Section clients.</summary>
    public static void WriteClients(InfoText text, ServerEngine engine)
    {
        long inputMax = 0;
        long outputMax = 0;
        long subscribed = 0;
        long watching = 0;
        long watchedKeys = 0;
        long blocked = 0;
        long timed = 0;
        foreach (Session session in engine.Sessions.All)
        {
            inputMax = Math.Max(inputMax, session.Partial?.Length ?? 0);
            outputMax = Math.Max(outputMax, session.Unsent?.ByteCount ?? 0);
            subscribed += (session.Flags & SessionFlags.Subscribed) != 0 ? 1 : 0;
            int keys = session.Watches?.Watches.Count ?? 0;
            watching += keys > 0 ? 1 : 0;
            watchedKeys += keys;
            Waiter? waiter = session.Suspended?.Waiter;
            blocked += waiter is not null || session.Suspended?.State == ExecutionState.Paused ? 1 : 0;
            timed += waiter is { UntilMs: < long.MaxValue } ? 1 : 0;
        }

        text.Section("Clients");
        text.Field("connected_clients", engine.Sessions.Count);
        text.Field("cluster_connections", 0);
        text.Field("maxclients", engine.Settings.ClientsMax);
        text.Field("client_recent_max_input_buffer", inputMax);
        text.Field("client_recent_max_output_buffer", outputMax);
        text.Field("blocked_clients", blocked);
        text.Field("tracking_clients", 0);
        text.Field("pubsub_clients", subscribed);
        text.Field("watching_clients", watching);
        text.Field("clients_in_timeout_table", timed);
        text.Field("total_watched_keys", watchedKeys);
        text.Field("total_blocking_keys", engine.Waits.KeyCount);
        text.Field("total_blocking_keys_on_nokey", engine.Waits.EndingKeyCount);
        (string actions, long leftMs) = engine.Pause.Describe(engine.Clock.UnixMicroseconds / 1000);
        text.Field("paused_reason", leftMs > 0 ? "client_pause" : "none");
        text.Field("paused_actions", actions);
        text.Field("paused_timeout_milliseconds", leftMs);
    }

    /// <summary>Section persistence: nothing is written to disk, and nothing pretends to be.</summary>
    public static void WritePersistence(InfoText text, ServerEngine engine)
    {
        text.Section("Persistence");
        text.Field("loading", 0);
        text.Field("async_loading", 0);
        text.Field("current_cow_peak", 0);
        text.Field("current_cow_size", 0);
        text.Field("current_cow_size_age", 0);
        text.Field("current_fork_perc", 0.0);
        text.Field("current_save_keys_processed", 0);
        text.Field("current_save_keys_total", 0);
        text.Field("rdb_changes_since_last_save", engine.Statistics.ChangeCount);
        text.Field("rdb_bgsave_in_progress", 0);
        text.Field("rdb_last_save_time", engine.StartedUs / UsPerS);
        text.Field("rdb_last_bgsave_status", "ok");
        text.Field("rdb_last_bgsave_time_sec", -1);
        text.Field("rdb_current_bgsave_time_sec", -1);
        text.Field("rdb_saves", 0);
        text.Field("rdb_last_cow_size", 0);
        text.Field("rdb_last_load_keys_expired", 0);
        text.Field("rdb_last_load_keys_loaded", 0);
        text.Field("aof_enabled", 0);
        text.Field("aof_rewrite_in_progress", 0);
        text.Field("aof_rewrite_scheduled", 0);
        text.Field("aof_last_rewrite_time_sec", -1);
        text.Field("aof_current_rewrite_time_sec", -1);
        text.Field("aof_last_bgrewrite_status", "ok");
        text.Field("aof_rewrites", 0);
        text.Field("aof_rewrites_consecutive_failures", 0);
        text.Field("aof_last_write_status", "ok");
        text.Field("aof_last_cow_size", 0);
        text.Field("slot_migration_fork_in_progress", 0);
        text.Field("module_fork_in_progress", 0);
        text.Field("module_fork_last_cow_size", 0);
    }

    /// <summary>Section replication: a master alone.</summary>
    public static void WriteReplication(InfoText text, ServerEngine engine)
    {
        text.Section("Replication");
        text.Field("role", "master");
        text.Field("connected_slaves", 0);
        text.Field("replicas_waiting_psync", 0);
        text.Field("master_failover_state", "no-failover");
        text.Field("master_replid", engine.ReplicationId);
        text.Field("master_replid2", new string('0', 40));
        text.Field("master_repl_offset", 0);
        text.Field("second_repl_offset", -1);
        text.Field("repl_backlog_active", 0);
        text.Field("repl_backlog_size", engine.Configuration.NumberOf("repl-backlog-size"));
        text.Field("repl_backlog_first_byte_offset", 0);
        text.Field("repl_backlog_histlen", 0);
    }

    /// <summary>Section cluster.</summary>
    public static void WriteCluster(InfoText text, ServerEngine engine)
    {
        text.Section("Cluster");
        text.Field("cluster_enabled", 0);
    }

    private static void WriteListeners(InfoText text, Settings settings)
    {
        // The number stands for the kind of listener.
        if (settings.Port > 0)
        {
            string bind = string.Join(",bind=", settings.Bind);
            string port = settings.Port.ToString(CultureInfo.InvariantCulture);
            text.Field("listener0", $"name=tcp,bind={bind},port={port}");
        }

        if (settings.UnixSocket.Length > 0)
            text.Field("listener1", $"name=unix,bind={settings.UnixSocket}");
    }

    private static string SupervisorName(string configured)
    {
        if (configured != "auto")
            return configured;
        if (Environment.GetEnvironmentVariable("NOTIFY_SOCKET") is not null)
            return "systemd";
        return Environment.GetEnvironmentVariable("UPSTART_JOB") is not null ? "upstart" : "no";
    }
}
