using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Replies;
using Cinnabar.Engine.Scripts;
using Cinnabar.Platform;

namespace Cinnabar.Engine.Information;

internal static class MemoryInfo
{
    /// <summary>The allocator's name in INFO.</summary>
    public const string AllocatorName = "arenas";

    /// <summary>Section memory.</summary>
    public static void Write(InfoText text, ServerEngine engine)
    {
        var memory = new MemoryReport(engine);
        ReplicationMemory replication = memory.Replication;
        text.Section("Memory"u8);
        text.Bytes("used_memory"u8, memory.Used);
        text.Bytes("used_memory_rss"u8, memory.Resident);
        text.Bytes("used_memory_peak"u8, memory.Peak);
        text.Field("used_memory_peak_time"u8, memory.PeakUnixS);
        text.Percent("used_memory_peak_perc"u8, memory.Used, memory.Peak);
        text.Field("used_memory_overhead"u8, memory.Overhead);
        text.Field("used_memory_startup"u8, memory.Startup);
        text.Field("used_memory_dataset"u8, memory.Dataset);
        text.Percent("used_memory_dataset_perc"u8, memory.Dataset, memory.Shared);
        text.Field("allocator_allocated"u8, memory.Used);
        text.Field("allocator_active"u8, memory.Active);
        text.Field("allocator_resident"u8, memory.Backed);
        // Freed memory goes back to the system at once, or is kept.
        text.Field("allocator_muzzy"u8, 0);
        text.Bytes("total_system_memory"u8, engine.SystemMemoryBytes);
        WriteScripts(text, engine);
        Settings settings = engine.Settings;
        text.Bytes("maxmemory"u8, settings.MaxMemory);
        text.Field("maxmemory_policy"u8, settings.MaxMemoryPolicy);
        text.Field("allocator_frag_ratio"u8, memory.ActiveRatio);
        text.Field("allocator_frag_bytes"u8, memory.Active - memory.Used);
        text.Field("allocator_rss_ratio"u8, memory.BackedRatio);
        text.Field("allocator_rss_bytes"u8, memory.Backed - memory.Active);
        text.Field("rss_overhead_ratio"u8, memory.ProcessRatio);
        text.Field("rss_overhead_bytes"u8, memory.Resident - memory.Backed);
        text.Field("mem_fragmentation_ratio"u8, memory.ResidentRatio);
        text.Field("mem_fragmentation_bytes"u8, memory.Resident - memory.Used);
        text.Field("mem_not_counted_for_evict"u8, memory.Uncounted);
        text.Field("mem_replication_backlog"u8, replication.Backlog);
        text.Field("mem_total_replication_buffers"u8,
            replication.Backlog + replication.Beyond + replication.Payloads);
        text.Field("mem_replica_full_sync_buffer"u8, 0);
        text.Field("mem_replicas_repl_buffer"u8, replication.Beyond);
        text.Field("mem_clients_slaves"u8, replication.Replicas);
        text.Field("mem_clients_normal"u8, memory.Clients);
        text.Field("mem_cluster_slot_migration_output_buffer"u8, 0);
        text.Field("mem_cluster_slot_migration_input_buffer"u8, 0);
        text.Field("mem_cluster_slot_migration_input_buffer_peak"u8, 0);
        text.Field("mem_cluster_slot_import"u8, 0);
        text.Field("mem_cluster_slot_export"u8, 0);
        text.Field("mem_cluster_links"u8, 0);
        text.Field("mem_aof_buffer"u8, engine.Data.Journal.Writer?.PendingBytes ?? 0);
        text.Field("mem_allocator"u8, AllocatorName);
        text.Field("mem_overhead_db_hashtable_rehashing"u8, 0);
        text.Field("active_defrag_running"u8, engine.MemoryLimit.Defrag.Share);
        text.Field("lazyfree_pending_objects"u8, engine.Keyspace.PendingCount);
        text.Field("lazyfreed_objects"u8, engine.Keyspace.FreedCount);
        text.Field("cinnabar_gc_collections"u8, GC.CollectionCount(0));
        text.Field("cinnabar_managed_memory"u8, GC.GetTotalMemory(forceFullCollection: false));
    }

    private static void WriteScripts(InfoText text, ServerEngine engine)
    {
        long evalBytes = engine.ScriptMachines.MemoryBytes;
        long functionBytes = engine.FunctionMachines.MemoryBytes;
        LibrarySet libraries = engine.FunctionMachines.Libraries.Current;
        text.Bytes("used_memory_lua"u8, evalBytes);
        text.Field("used_memory_vm_eval"u8, evalBytes);
        text.Field("used_memory_scripts_eval"u8, engine.Scripts.MemoryBytes);
        text.Field("number_of_cached_scripts"u8, engine.Scripts.Count);
        text.Field("number_of_functions"u8, libraries.FunctionCount);
        text.Field("number_of_libraries"u8, libraries.Libraries.Count);
        text.Field("used_memory_vm_functions"u8, functionBytes);
        text.Bytes("used_memory_vm_total"u8, evalBytes + functionBytes);
        text.Field("used_memory_functions"u8, libraries.MemoryBytes);
        text.Bytes("used_memory_scripts"u8, engine.Scripts.MemoryBytes + libraries.MemoryBytes);
    }
}
