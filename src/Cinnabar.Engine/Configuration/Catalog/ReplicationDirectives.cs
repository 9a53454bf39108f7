using Cinnabar.Engine.Configuration.Directives;
using static Cinnabar.Engine.Configuration.Directives.DirectiveFlags;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>Masters and replicas.</summary>
internal static class ReplicationDirectives
{
    internal static void AddTo(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        list.Add(new ReplicaOfDirective { Flags = Immutable | MultipleArguments }, alias: "slaveof");
        list.Add(new IntegerDirective("min-replicas-to-write", 0, 0, int.MaxValue),
            alias: "min-slaves-to-write");
        list.Add(new IntegerDirective("min-replicas-max-lag", 10, 0, int.MaxValue),
            alias: "min-slaves-max-lag");
        AddReplica(list);
        AddMaster(list);
        AddNotYet(list);
    }

    private static void AddReplica(DirectiveList list)
    {
        list.Add(new TextDirective("masterauth", "") { Flags = Sensitive }, alias: "primaryauth");
        list.Add(new TextDirective("masteruser", "") { Flags = Sensitive }, alias: "primaryuser");
        list.Add(new TextDirective("bind-source-addr", ""));
        list.Add(new BooleanDirective("replica-serve-stale-data", true), alias: "slave-serve-stale-data");
        list.Add(new BooleanDirective("replica-read-only", true), alias: "slave-read-only");
        list.Add(new BooleanDirective("replica-ignore-maxmemory", true), alias: "slave-ignore-maxmemory");
        list.Add(new BooleanDirective("replica-announced", true));
        list.Add(new BooleanDirective("replica-ignore-disk-write-errors", false));
        list.Add(new BooleanDirective("repl-mptcp", false));
        list.Add(new TextDirective("replica-announce-ip", ""), alias: "slave-announce-ip");
        list.Add(new IntegerDirective("replica-announce-port", 0, 0, 65535),
            alias: "slave-announce-port");
        list.Add(new IntegerDirective("replica-priority", 100, 0, int.MaxValue), alias: "slave-priority");
        list.Add(new BooleanDirective("replica-lazy-flush", false), alias: "slave-lazy-flush");
        list.Add(new BooleanDirective("replica-refuse-empty-master", false));
        list.Add(new EnumerationDirective("repl-diskless-load", "disabled",
            ["disabled", "on-empty-db", "swapdb", "flush-before-load", "flushdb"])
        {
            Flags = NotWhileLoading,
        });
        list.Add(new IntegerDirective("repl-timeout", 60, 1, int.MaxValue));
        list.Add(new EnumerationDirective(
            "propagation-error-behavior", "ignore", ["ignore", "panic", "panic-on-replicas"]),
            static (settings, value) => settings.PropagationErrors = (PropagationErrors)value.Number);
    }

    private static void AddNotYet(DirectiveList list)
    {
        list.Section(DirectiveSupport.NoEffectYet, 
            "the channels of their own that Redis 8 and Valkey 8 have for the data are not built");
        list.Add(new MemoryDirective("replica-full-sync-buffer-limit", 0, 0, long.MaxValue, false));
        list.Add(new BooleanDirective("dual-channel-replication-enabled", false));
        list.Add(new BooleanDirective("repl-rdb-channel", false) { Flags = Hidden });
    }

    private static void AddMaster(DirectiveList list)
    {
        list.Add(new BooleanDirective("repl-diskless-sync", true));
        list.Add(new IntegerDirective("repl-diskless-sync-delay", 5, 0, int.MaxValue));
        list.Add(new IntegerDirective("repl-diskless-sync-max-replicas", 0, 0, int.MaxValue));
        list.Add(new MemoryDirective("repl-backlog-size", 1 << 20, 1, long.MaxValue, false)
        {
            Lowest = 16 << 10,
        }, static (settings, value) => settings.BacklogBytes = value.Number);
        list.Add(new BooleanDirective("repl-disable-tcp-nodelay", false));
        list.Add(new IntegerDirective("repl-backlog-ttl", 3600, 0, long.MaxValue));
        list.Add(new IntegerDirective("repl-ping-replica-period", 10, 1, int.MaxValue),
            alias: "repl-ping-slave-period");
    }
}
