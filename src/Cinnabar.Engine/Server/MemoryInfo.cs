using System;
using Cinnabar.Engine.Configuration;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Server;

/// <summary>INFO memory.</summary>
internal static class MemoryInfo
{
    /// <summary>What INFO calls the allocator.</summary>
    public const string AllocatorName = "arenas";

    /// <summary>Section memory.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        var memory = new MemoryReport(engine);
        text.Section("Memory");
        text.Bytes("used_memory", memory.Used);
        text.Bytes("used_memory_rss", memory.Resident);
        text.Bytes("used_memory_peak", memory.Peak);
        text.Field("used_memory_peak_time", memory.PeakUnixS);
        text.Field("used_memory_peak_perc", InfoText.Percent(memory.Used, memory.Peak));
        text.Field("used_memory_overhead", memory.Overhead);
        text.Field("used_memory_startup", memory.Startup);
        text.Field("used_memory_dataset", memory.Dataset);
        text.Field("used_memory_dataset_perc", InfoText.Percent(memory.Dataset, memory.Shared));
        text.Field("allocator_allocated", memory.Used);
        text.Field("allocator_active", memory.Active);
        text.Field("allocator_resident", memory.Backed);
        // What is freed goes back to the system at once, or is kept.
        text.Field("allocator_muzzy", 0);
        text.Bytes("total_system_memory", engine.SystemMemoryBytes);
        WriteScripts(text);
        Settings settings = engine.Settings;
        text.Bytes("maxmemory", settings.MaxMemory);
        text.Field("maxmemory_policy", settings.MaxMemoryPolicy);
        text.Field("allocator_frag_ratio", memory.ActiveRatio);
        text.Field("allocator_frag_bytes", memory.Active - memory.Used);
        text.Field("allocator_rss_ratio", memory.BackedRatio);
        text.Field("allocator_rss_bytes", memory.Backed - memory.Active);
        text.Field("rss_overhead_ratio", memory.ProcessRatio);
        text.Field("rss_overhead_bytes", memory.Resident - memory.Backed);
        text.Field("mem_fragmentation_ratio", memory.ResidentRatio);
        text.Field("mem_fragmentation_bytes", memory.Resident - memory.Used);
        text.Field("mem_not_counted_for_evict", 0);
        text.Field("mem_replication_backlog", 0);
        text.Field("mem_total_replication_buffers", 0);
        text.Field("mem_replica_full_sync_buffer", 0);
        text.Field("mem_replicas_repl_buffer", 0);
        text.Field("mem_clients_slaves", 0);
        text.Field("mem_clients_normal", memory.Clients);
        text.Field("mem_cluster_slot_migration_output_buffer", 0);
        text.Field("mem_cluster_slot_migration_input_buffer", 0);
        text.Field("mem_cluster_slot_migration_input_buffer_peak", 0);
        text.Field("mem_cluster_slot_import", 0);
        text.Field("mem_cluster_slot_export", 0);
        text.Field("mem_cluster_links", 0);
        text.Field("mem_aof_buffer", 0);
        text.Field("mem_allocator", AllocatorName);
        text.Field("mem_overhead_db_hashtable_rehashing", 0);
        text.Field("active_defrag_running", 0);
        text.Field("lazyfree_pending_objects", engine.Keyspace.PendingCount);
        text.Field("lazyfreed_objects", engine.Keyspace.FreedCount);
        text.Field("cinnabar_gc_collections", GC.CollectionCount(0));
        text.Field("cinnabar_managed_memory", GC.GetTotalMemory(forceFullCollection: false));
    }

    /// <summary>There are no scripts and no functions: true zeros, which clients read.</summary>
    private static void WriteScripts(InfoText text)
    {
        text.Bytes("used_memory_lua", 0);
        text.Field("used_memory_vm_eval", 0);
        text.Field("used_memory_scripts_eval", 0);
        text.Field("number_of_cached_scripts", 0);
        text.Field("number_of_functions", 0);
        text.Field("number_of_libraries", 0);
        text.Field("used_memory_vm_functions", 0);
        text.Bytes("used_memory_vm_total", 0);
        text.Field("used_memory_functions", 0);
        text.Bytes("used_memory_scripts", 0);
    }
}
