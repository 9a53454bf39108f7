using System;

namespace Cinnabar.Tests.Differential.Configuration;

/// <summary>
/// Where the configuration of this server differs from that of Debian's redis-server on purpose.
/// </summary>
internal static class ConfigurationDifferences
{
    /// <summary>Directives whose value the test's own options, the place or the machine decide.</summary>
    public static bool HasOwnDefault(string name) =>
        name is "port" or "bind" or "save" or "logfile" or "dir" or "io-threads" or "pidfile" or "daemonize";

    /// <summary>
    /// Directives that redis-server carries out at once, which would end or cut off the test; and those whose
    /// values depend on its version or build.
    /// </summary>
    public static bool HasSideEffects(string name) => name is
        "port" or "bind" or "tls-port" or "maxmemory" or "maxmemory-clients" or "maxclients" or "requirepass"
        or "appendonly" or "dir" or "timeout" or "oom-score-adj" or "oom-score-adj-values"
        or "watchdog-period"
        or "client-output-buffer-limit" or "client-query-buffer-limit" or "proto-max-bulk-len"
        or "maxmemory-samples" or "activedefrag" or "cluster-link-sendbuf-limit"
        || name.StartsWith("tls-", StringComparison.Ordinal)
        || name.StartsWith("min-", StringComparison.Ordinal);

    /// <summary>Directives that take other values in newer versions; their errors name those.</summary>
    public static bool HasNewerValues(string name) => name is
        "loglevel" or "maxmemory-policy" or "notify-keyspace-events" or "repl-diskless-load";
}
