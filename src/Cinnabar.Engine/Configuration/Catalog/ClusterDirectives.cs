using Cinnabar.Engine.Configuration.Directives;
using static Cinnabar.Engine.Configuration.Directives.DirectiveFlags;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>Cluster mode.</summary>
internal static class ClusterDirectives
{
    internal static void AddTo(DirectiveList list)
    {
        list.Section(DirectiveSupport.Refused,
            "cluster mode is not built yet: keys of other nodes would be taken");
        list.Add(new BooleanDirective("cluster-enabled", false) { Flags = Immutable });
        list.Section(DirectiveSupport.NoEffectYet, "cluster mode is not built yet");
        AddTopology(list);
        AddAnnouncements(list);
        AddMigration(list);
    }

    private static void AddTopology(DirectiveList list)
    {
        list.Add(new TextDirective("cluster-config-file", "nodes.conf") { Flags = Immutable });
        list.Add(new EnumerationDirective("cluster-config-save-behavior", "sync", ["sync", "best-effort"]));
        list.Add(new IntegerDirective("cluster-databases", 1, 1, int.MaxValue)
        {
            Flags = Immutable | Hidden,
        });
        list.Add(new IntegerDirective("cluster-port", 0, 0, 65535) { Flags = Immutable });
        list.Add(new IntegerDirective("cluster-node-timeout", 15000, 0, long.MaxValue));
        list.Add(new IntegerDirective("cluster-ping-interval", 0, 0, long.MaxValue) { Flags = Hidden });
        list.Add(new IntegerDirective("cluster-message-gossip-perc", 10, 1, 100));
        list.Add(new IntegerDirective("cluster-blacklist-ttl", 60, 0, long.MaxValue));
        list.Add(new IntegerDirective("cluster-migration-barrier", 1, 0, int.MaxValue));
        list.Add(new IntegerDirective("cluster-replica-validity-factor", 10, 0, int.MaxValue),
            alias: "cluster-slave-validity-factor");
        list.Add(new BooleanDirective("cluster-replica-no-failover", false),
            alias: "cluster-slave-no-failover");
        list.Add(new BooleanDirective("auto-failover-on-shutdown", false));
        list.Add(new IntegerDirective("cluster-manual-failover-timeout", 5000, 1, int.MaxValue));
        list.Add(new BooleanDirective("cluster-allow-replica-migration", true));
        list.Add(new BooleanDirective("cluster-require-full-coverage", true));
        list.Add(new BooleanDirective("cluster-allow-reads-when-down", false));
        list.Add(new BooleanDirective("cluster-allow-pubsubshard-when-down", true));
        list.Add(new MemoryDirective("cluster-link-sendbuf-limit", 0, 0, long.MaxValue, false));
        list.Add(new IntegerDirective("cluster-compatibility-sample-ratio", 0, 0, 100));
        list.Add(new BooleanDirective("cluster-slot-stats-enabled", false));
    }

    private static void AddAnnouncements(DirectiveList list)
    {
        list.Add(new TextDirective("cluster-announce-ip", ""));
        list.Add(new TextDirective("cluster-announce-client-ipv4", ""));
        list.Add(new TextDirective("cluster-announce-client-ipv6", ""));
        list.Add(new TextDirective("cluster-announce-hostname", "")
        {
            Check = static name => name.AsSpan().ContainsAnyExcept(HostCharacters)
                ? "Hostnames may only contain alphanumeric characters, hyphens or dots"
                : null,
        });
        list.Add(new TextDirective("cluster-announce-human-nodename", ""));
        list.Add(new IntegerDirective("cluster-announce-port", 0, 0, 65535));
        list.Add(new IntegerDirective("cluster-announce-tls-port", 0, 0, 65535));
        list.Add(new IntegerDirective("cluster-announce-bus-port", 0, 0, 65535));
        list.Add(new IntegerDirective("cluster-announce-client-port", 0, 0, 65535));
        list.Add(new IntegerDirective("cluster-announce-client-tls-port", 0, 0, 65535));
        list.Add(new EnumerationDirective(
            "cluster-preferred-endpoint-type", "ip", ["ip", "hostname", "unknown-endpoint"]));
    }

    private static void AddMigration(DirectiveList list)
    {
        list.Add(new MemoryDirective(
            "cluster-slot-migration-handoff-max-lag-bytes", 1 << 20, 0, long.MaxValue, false));
        list.Add(new IntegerDirective("cluster-slot-migration-write-pause-timeout", 10000, 0, long.MaxValue));
        list.Add(new IntegerDirective("cluster-slot-migration-max-archived-tasks", 32, 1, int.MaxValue)
        {
            Flags = Hidden,
        });
        list.Add(new IntegerDirective("cluster-slot-migration-log-max-len", 1000, 0, long.MaxValue));
        list.Add(new MemoryDirective("slot-migration-max-failover-repl-bytes", 0, 0, long.MaxValue, false)
        {
            IsUnlimitedAllowed = true,
        });
    }

    private const string HostCharacters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.";
}
