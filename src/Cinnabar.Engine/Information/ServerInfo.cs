using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Durability;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Sessions;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Information;

/// <summary>INFO: the server, its clients, persistence, replication and cluster.</summary>
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
        text.Section("Server"u8);
        text.Field("redis_version"u8, ServerVersion.Redis);
        text.Field("server_name"u8, "cinnabar"u8);
        text.Field("cinnabar_version"u8, ServerVersion.Cinnabar);
        text.Field("redis_git_sha1"u8, ServerVersion.Commit);
        text.Field("redis_git_dirty"u8, 0);
        text.Field("redis_build_id"u8, ServerVersion.Commit);
        text.Field("redis_mode"u8, "standalone"u8);
        text.Field("os"u8, SystemName.Full);
        text.Field("arch_bits"u8, nint.Size * 8);
        text.Field("dotnet_version"u8, Environment.Version.ToString());
        if (!OperatingSystem.IsWindows())
            text.Field("monotonic_clock"u8, "POSIX clock_gettime"u8);
        text.Field("multiplexing_api"u8, engine.Loops[0].Transport.MultiplexingApi);
        text.Field("process_id"u8, Environment.ProcessId);
        text.Field("process_supervised"u8, SupervisorName(engine.Configuration.TextOf("supervised")));
        text.Field("run_id"u8, engine.RunId);
        // Of a server with TLS alone, Redis shows the port that it has.
        text.Field("tcp_port"u8, settings.Port > 0 ? settings.Port : settings.TlsPort);
        text.Field("server_time_usec"u8, nowUs);
        text.Field("uptime_in_seconds"u8, uptimeS);
        text.Field("uptime_in_days"u8, uptimeS / DayS);
        text.Field("hz"u8, settings.Hz);
        text.Field("configured_hz"u8, settings.Hz);
        text.Field("clients_hz"u8, settings.Hz);
        text.Field("lru_clock"u8, nowUs / UsPerS & 0xFF_FFFF);
        text.Field("executable"u8, Environment.ProcessPath ?? "");
        text.Field("config_file"u8, engine.Configuration.FilePath ?? "");
        text.Field("availability_zone"u8, engine.Configuration.TextOf("availability-zone"));
        text.Field("io_threads_active"u8, engine.LoopCount > 1 ? 1 : 0);
        if (engine.Replicas.CatchUp.RemainingMs is >= 0 and long remainingMs)
            text.Field("shutdown_in_milliseconds"u8, remainingMs);
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
        foreach (Session session in engine.Sessions.Unordered)
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

        text.Section("Clients"u8);
        int masters = engine.Replica.Link?.Client is null ? 0 : 1;
        text.Field("connected_clients"u8, engine.Sessions.Count - engine.Replicas.All.Length + masters);
        text.Field("cluster_connections"u8, 0);
        text.Field("maxclients"u8, engine.Settings.ClientsMax);
        text.Field("client_recent_max_input_buffer"u8, inputMax);
        text.Field("client_recent_max_output_buffer"u8, outputMax);
        text.Field("blocked_clients"u8, blocked);
        text.Field("tracking_clients"u8, engine.Tracking.ClientCount);
        text.Field("pubsub_clients"u8, subscribed);
        text.Field("watching_clients"u8, watching);
        text.Field("clients_in_timeout_table"u8, timed);
        text.Field("total_watched_keys"u8, watchedKeys);
        text.Field("total_blocking_keys"u8, engine.Waits.KeyCount);
        text.Field("total_blocking_keys_on_nokey"u8, engine.Waits.EndingKeyCount);
        (string reason, string actions, long leftMs) =
            engine.Pause.Describe(engine.Clock.UnixMicroseconds / 1000);
        text.Field("paused_reason"u8, reason);
        text.Field("paused_actions"u8, actions);
        text.Field("paused_timeout_milliseconds"u8, leftMs);
    }

    /// <summary>Section persistence.</summary>
    public static void WritePersistence(InfoText text, ServerEngine engine)
    {
        DataLoading loading = engine.Data.Loading;
        text.Section("Persistence"u8);
        text.Field("loading"u8, loading.IsActive && !loading.IsBeside ? 1 : 0);
        text.Field("async_loading"u8, loading.IsBeside ? 1 : 0);
        SaveInfo.Write(text, engine);
        text.Field("rdb_last_load_keys_expired"u8, loading.KeysExpired);
        text.Field("rdb_last_load_keys_loaded"u8, loading.KeysLoaded);
        JournalInfo.Write(text, engine);
        text.Field("slot_migration_fork_in_progress"u8, 0);
        text.Field("module_fork_in_progress"u8, 0);
        text.Field("module_fork_last_cow_size"u8, 0);
        JournalInfo.WriteSizes(text, engine);
        if (loading.Progress is { } progress)
            WriteLoading(text, progress, engine.Clock.UnixMicroseconds);
    }

    private static void WriteLoading(InfoText text, LoadProgress progress, long nowUs)
    {
        text.Field("loading_start_time"u8, progress.StartedUs / UsPerS);
        text.Field("loading_total_bytes"u8, progress.TotalBytes);
        text.Field("loading_rdb_used_mem"u8, progress.UsedBytes);
        text.Field("loading_loaded_bytes"u8, progress.LoadedBytes);
        text.Field("loading_loaded_perc"u8, progress.Percent);
        text.Field("loading_eta_seconds"u8, progress.LeftSeconds(nowUs));
    }

    /// <summary>Section cluster.</summary>
    public static void WriteCluster(InfoText text, ServerEngine engine)
    {
        text.Section("Cluster"u8);
        text.Field("cluster_enabled"u8, 0);
    }

    private static void WriteListeners(InfoText text, Settings settings)
    {
        // The number is the kind of listener.
        if (settings.Port > 0)
        {
            text.Append("listener0:name=tcp"u8);
            foreach (string address in settings.Bind)
                text.Append($",bind={address}");
            text.Line($",port={settings.Port}");
        }

        if (settings.UnixSocket.Length > 0)
            text.Line($"listener1:name=unix,bind={settings.UnixSocket}");
        if (settings.TlsPort == 0)
            return;
        text.Append("listener2:name=tls"u8);
        foreach (string address in settings.Bind)
            text.Append($",bind={address}");
        text.Line($",port={settings.TlsPort}");
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
