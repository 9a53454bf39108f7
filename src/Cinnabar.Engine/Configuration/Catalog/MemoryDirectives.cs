using Cinnabar.Engine.Configuration.Directives;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Configuration.Catalog;

/// <summary>How much memory there is, how it is given back, how small collections are stored.</summary>
internal static class MemoryDirectives
{
    internal static void AddTo(DirectiveList list)
    {
        AddLimits(list);
        AddFreeing(list);
        AddDefragmentation(list);
        AddEncodings(list);
        AddFurtherTypes(list);
    }

    private static void AddLimits(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        list.Add(new MemoryDirective("maxmemory", 0, 0, long.MaxValue, isPercentAllowed: true)
        {
            IsPercentOwn = true,
        },
            static (settings, value) => settings.MaxMemory = value.Number >= 0 ? value.Number
                : MemoryStatus.MachineOrContainerBytes / 100 * -value.Number);
        list.Add(new EnumerationDirective(
            "maxmemory-policy",
            "noeviction",
            [
                "volatile-lru", "volatile-lfu", "volatile-lrm", "volatile-random", "volatile-ttl",
                "allkeys-lru", "allkeys-lfu", "allkeys-lrm", "allkeys-random", "noeviction",
            ]),
            static (settings, value) => settings.MaxMemoryPolicy = value.Text);
        list.Add(new IntegerDirective("maxmemory-samples", 5, 1, 64),
            static (settings, value) => settings.MaxMemorySamples = (int)value.Number);
        list.Add(new IntegerDirective("maxmemory-eviction-tenacity", 10, 0, 100),
            static (settings, value) => settings.EvictionTenacity = (int)value.Number);
        list.Add(new MemoryDirective("maxmemory-clients", 0, 0, long.MaxValue, isPercentAllowed: true),
            static (settings, value) => settings.MaxMemoryClients = value.Number);
        list.Section(DirectiveSupport.NeverMeaningful,
            "expired keys are removed at their deadline, by an index");
        list.Add(new IntegerDirective("active-expire-effort", 1, 1, 10));
        list.Section(DirectiveSupport.Working);
        list.Add(new IntegerDirective("lfu-log-factor", 10, 0, int.MaxValue),
            static (settings, value) => settings.FrequencyLogFactor = (int)value.Number);
        list.Add(new IntegerDirective("lfu-decay-time", 1, 0, int.MaxValue),
            static (settings, value) => settings.FrequencyDecayMinutes = (int)value.Number);
        list.Add(new BooleanDirective("import-mode", false));
    }

    private static void AddFreeing(DirectiveList list)
    {
        list.Section(DirectiveSupport.NoEffectYet,
            "the server itself decides what is freed in the background; the journal says UNLINK for DEL");
        list.Add(new BooleanDirective("lazyfree-lazy-eviction", false));
        list.Add(new BooleanDirective("lazyfree-lazy-expire", false));
        list.Section(DirectiveSupport.NoEffectYet,
            "the server itself decides what is freed in the background");
        list.Add(new BooleanDirective("lazyfree-lazy-server-del", false));
        list.Add(new BooleanDirective("lazyfree-lazy-user-del", false));
        list.Section(DirectiveSupport.Working);
        list.Add(new BooleanDirective("lazyfree-lazy-user-flush", false),
            static (settings, value) => settings.IsUserFlushLazy = value.Number != 0);
    }

    private static void AddDefragmentation(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        list.Add(new BooleanDirective("activedefrag", false));
        list.Add(new MemoryDirective("active-defrag-ignore-bytes", 100 << 20, 1, long.MaxValue, false));
        list.Add(new IntegerDirective("active-defrag-threshold-lower", 10, 0, 1000));
        list.Add(new IntegerDirective("active-defrag-threshold-upper", 100, 0, 1000));
        list.Add(new IntegerDirective("active-defrag-cycle-min", 1, 1, 99));
        list.Add(new IntegerDirective("active-defrag-cycle-max", 25, 1, 99));
        list.Add(new IntegerDirective("active-defrag-cycle-us", 500, 0, 100_000));
        list.Add(new IntegerDirective("active-defrag-max-scan-fields", 1000, 1, long.MaxValue));
        list.Section(DirectiveSupport.NeverMeaningful, "the server has its own allocator, not jemalloc");
        list.Add(new BooleanDirective("jemalloc-bg-thread", true));
        list.Section(DirectiveSupport.Working);
        list.Add(new BooleanDirective("disable-thp", true) { Flags = DirectiveFlags.Immutable });
    }

    private static void AddEncodings(DirectiveList list)
    {
        list.Section(DirectiveSupport.Working);
        list.Add(new IntegerDirective("hash-max-listpack-entries", 512, 0, long.MaxValue),
            static (settings, value) => settings.Collections.HashListpackEntriesMax = value.Number,
            alias: "hash-max-ziplist-entries");
        list.Add(new MemoryDirective("hash-max-listpack-value", 64, 0, long.MaxValue, false),
            static (settings, value) => settings.Collections.HashListpackValueMax = value.Number,
            alias: "hash-max-ziplist-value");
        list.Add(new IntegerDirective("list-max-listpack-size", -2, int.MinValue, int.MaxValue),
            static (settings, value) => settings.Collections.ListListpackSize = value.Number,
            alias: "list-max-ziplist-size");
        list.Add(new IntegerDirective("list-compress-depth", 0, 0, int.MaxValue),
            static (settings, value) => settings.Collections.ListCompressDepth = value.Number);
        list.Add(new IntegerDirective("set-max-intset-entries", 512, 0, long.MaxValue),
            static (settings, value) => settings.Collections.SetIntsetEntriesMax = value.Number);
        list.Add(new IntegerDirective("set-max-listpack-entries", 128, 0, long.MaxValue),
            static (settings, value) => settings.Collections.SetListpackEntriesMax = value.Number);
        list.Add(new IntegerDirective("set-max-listpack-value", 64, 0, long.MaxValue),
            static (settings, value) => settings.Collections.SetListpackValueMax = value.Number);
        list.Add(new IntegerDirective("zset-max-listpack-entries", 128, 0, long.MaxValue),
            static (settings, value) => settings.Collections.SortedSetListpackEntriesMax = value.Number,
            alias: "zset-max-ziplist-entries");
        list.Add(new MemoryDirective("zset-max-listpack-value", 64, 0, long.MaxValue, false),
            static (settings, value) => settings.Collections.SortedSetListpackValueMax = value.Number,
            alias: "zset-max-ziplist-value");
        list.Add(new MemoryDirective("hll-sparse-max-bytes", 3000, 0, long.MaxValue, false),
            static (settings, value) => settings.Collections.HyperLogLogSparseBytesMax = value.Number);
        list.Add(new MemoryDirective("stream-node-max-bytes", 4096, 0, long.MaxValue, false),
            static (settings, value) => settings.Collections.StreamNodeBytesMax = value.Number);
        list.Add(new IntegerDirective("stream-node-max-entries", 100, 0, long.MaxValue),
            static (settings, value) => settings.Collections.StreamNodeEntriesMax = value.Number);
        list.Add(new IntegerDirective("stream-idmp-duration", 100, 1, 86400),
            static (settings, value) => settings.Collections.StreamIdmpDurationSeconds = value.Number);
        list.Add(new IntegerDirective("stream-idmp-maxsize", 100, 1, 10000),
            static (settings, value) => settings.Collections.StreamIdmpCountMax = value.Number);
    }

    private static void AddFurtherTypes(DirectiveList list)
    {
        list.Section(DirectiveSupport.NoEffectYet, "the type is not built");
        list.Add(new IntegerDirective("array-slice-size", 4096, 0, int.MaxValue));
        list.Add(new IntegerDirective("array-sparse-kmax", 10, 0, int.MaxValue));
        list.Add(new IntegerDirective("array-sparse-kmin", 5, 0, int.MaxValue));
        list.Add(new BooleanDirective("vset-force-single-threaded-execution", false));
    }
}
