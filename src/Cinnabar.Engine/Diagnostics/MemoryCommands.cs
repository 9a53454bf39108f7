using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Information;
using Cinnabar.Engine.Replies;

namespace Cinnabar.Engine.Diagnostics;

/// <summary>MEMORY of the whole server: DOCTOR, HELP, MALLOC-STATS, PURGE, STATS.</summary>
internal static class MemoryCommands
{
    private const long DoctorBytesMin = 5 << 20;
    private const double PeakRatioMax = 1.5;
    private const double ResidentRatioMax = 1.4;
    private const long ClientBytesMax = 200_000;
    private const long WasteBytesMin = 10 << 20;

    /// <summary>MEMORY DOCTOR: what is odd about the use of memory, in words.</summary>
    public static void Doctor(SessionExecution execution)
    {
        ServerEngine engine = execution.Engine;
        if (engine.Keyspace.UsedBytes < DoctorBytesMin)
        {
            execution.Reply.Verbatim("txt"u8,
                "There is too little data to judge the use of memory by: ask again when there is more.\n"u8);
            return;
        }

        var text = new StringBuilder();
        Diagnose(text, new MemoryReport(engine), engine.Sessions.Count);
        if (text.Length == 0)
            text.Append("No memory problem was found.\n");
        execution.Reply.Verbatim("txt"u8, Encoding.UTF8.GetBytes(text.ToString()));
    }

    /// <summary>MEMORY MALLOC-STATS: the arenas.</summary>
    public static void MallocStats(SessionExecution execution)
    {
        ServerEngine engine = execution.Engine;
        var memory = new MemoryReport(engine);
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"Allocator: {MemoryInfo.AllocatorName}\n");
        text.Append(CultureInfo.InvariantCulture, $"Used: {memory.Used}\nActive: {memory.Active}\n");
        text.Append(CultureInfo.InvariantCulture, $"Resident: {memory.Backed}\nMapped: {memory.Mapped}\n");
        text.Append(CultureInfo.InvariantCulture, $"Big values: {engine.Keyspace.Blocks.UsedBytes} in ");
        text.Append(CultureInfo.InvariantCulture, $"{engine.Keyspace.Blocks.BlockCount} blocks\n");
        text.Append("stripe        used      mapped      blocks\n");
        foreach (Stripe stripe in engine.Keyspace.Stripes)
        {
            text.Append(CultureInfo.InvariantCulture, $"{stripe.Index,6} {stripe.Arena.UsedBytes,11} ");
            text.Append(CultureInfo.InvariantCulture, $"{stripe.Arena.MappedBytes,11} ");
            text.Append(CultureInfo.InvariantCulture, $"{stripe.Arena.BlockCount,11}\n");
        }

        execution.Reply.Verbatim("txt"u8, Encoding.UTF8.GetBytes(text.ToString()));
    }

    /// <summary>MEMORY PURGE; its spec locks every stripe.</summary>
    public static void Purge(SessionExecution execution)
    {
        foreach (Stripe stripe in execution.Engine.Keyspace.Stripes)
            stripe.Arena.Trim();
        execution.Engine.Keyspace.Blocks.Trim();
        execution.Engine.Keyspace.Trees.Trim();
        execution.Engine.Chunks.Trim();
        execution.Reply.Ok();
    }

    /// <summary>MEMORY STATS; its spec locks every stripe.</summary>
    public static void Stats(SessionExecution execution)
    {
        ServerEngine engine = execution.Engine;
        var memory = new MemoryReport(engine);
        ref ReplyWriter reply = ref execution.Reply;
        DeferredHeader header = reply.BeginDeferred();
        long pairCount = 0;
        Number(ref reply, ref pairCount, "peak.allocated"u8, memory.Peak);
        Number(ref reply, ref pairCount, "total.allocated"u8, memory.Used);
        Number(ref reply, ref pairCount, "startup.allocated"u8, memory.Startup);
        Number(ref reply, ref pairCount, "replication.backlog"u8, memory.Replication.Backlog);
        Number(ref reply, ref pairCount, "replica.fullsync.buffer"u8, 0);
        Number(ref reply, ref pairCount, "clients.slaves"u8, memory.Replication.Replicas);
        Number(ref reply, ref pairCount, "clients.normal"u8, memory.Clients);
        Number(ref reply, ref pairCount, "cluster.links"u8, 0);
        Number(ref reply, ref pairCount, "aof.buffer"u8, 0);
        Number(ref reply, ref pairCount, "lua.caches"u8, engine.Scripts.MemoryBytes);
        Number(ref reply, ref pairCount, "functions.caches"u8,
            engine.FunctionMachines.Libraries.Current.MemoryBytes);
        Number(ref reply, ref pairCount, "script.VMs"u8,
            engine.ScriptMachines.MemoryBytes + engine.FunctionMachines.MemoryBytes);
        pairCount += WriteDatabases(ref reply, engine.Keyspace, out long tables, out long keys);
        Number(ref reply, ref pairCount, "overhead.db.hashtable.lut"u8, tables);
        // A table grows by a segment at a time, within one command.
        Number(ref reply, ref pairCount, "overhead.db.hashtable.rehashing"u8, 0);
        Number(ref reply, ref pairCount, "overhead.total"u8, memory.Overhead);
        Number(ref reply, ref pairCount, "db.dict.rehashing.count"u8, 0);
        Number(ref reply, ref pairCount, "keys.count"u8, keys);
        Number(ref reply, ref pairCount, "keys.bytes-per-key"u8, memory.Net / Math.Max(1, keys));
        Number(ref reply, ref pairCount, "dataset.bytes"u8, memory.Dataset);
        Ratio(ref reply, ref pairCount, "dataset.percentage"u8, Share(memory.Dataset, memory.Shared));
        Ratio(ref reply, ref pairCount, "peak.percentage"u8, Share(memory.Used, memory.Peak));
        WriteAllocator(ref reply, ref pairCount, memory);
        Ratio(ref reply, ref pairCount, "fragmentation"u8, memory.ResidentRatio);
        Number(ref reply, ref pairCount, "fragmentation.bytes"u8, memory.Resident - memory.Used);
        reply.EndDeferredMap(in header, pairCount);
    }

    private static void WriteAllocator(ref ReplyWriter reply, ref long pairCount, MemoryReport memory)
    {
        Number(ref reply, ref pairCount, "allocator.allocated"u8, memory.Used);
        Number(ref reply, ref pairCount, "allocator.active"u8, memory.Active);
        Number(ref reply, ref pairCount, "allocator.resident"u8, memory.Backed);
        Number(ref reply, ref pairCount, "allocator.muzzy"u8, 0);
        Ratio(ref reply, ref pairCount, "allocator-fragmentation.ratio"u8, memory.ActiveRatio);
        Number(ref reply, ref pairCount, "allocator-fragmentation.bytes"u8, memory.Active - memory.Used);
        Ratio(ref reply, ref pairCount, "allocator-rss.ratio"u8, memory.BackedRatio);
        Number(ref reply, ref pairCount, "allocator-rss.bytes"u8, memory.Backed - memory.Active);
        Ratio(ref reply, ref pairCount, "rss-overhead.ratio"u8, memory.ProcessRatio);
        Number(ref reply, ref pairCount, "rss-overhead.bytes"u8, memory.Resident - memory.Backed);
    }

    private static int WriteDatabases(
        ref ReplyWriter reply, Keyspace.Keyspace keyspace, out long tables, out long keys)
    {
        int count = 0;
        (tables, keys) = (0, 0);
        for (int database = 0; database < keyspace.DatabaseCount; database++)
        {
            long bytes = keyspace.TableBytes(database);
            tables += bytes;
            long keyCount = keyspace.Count(database);
            if (keyCount == 0)
                continue;
            keys += keyCount;
            count++;
            reply.Bulk(Encoding.ASCII.GetBytes($"db.{database}"));
            reply.MapHeader(2);
            long pairCount = 0;
            Number(ref reply, ref pairCount, "overhead.hashtable.main"u8, bytes);
            // A deadline lies in its key's entry, and the index of deadlines serves all databases.
            Number(ref reply, ref pairCount, "overhead.hashtable.expires"u8, 0);
        }

        return count;
    }

    private static void Number(ref ReplyWriter reply, ref long pairCount, ReadOnlySpan<byte> name, long value)
    {
        reply.Bulk(name);
        reply.Integer(value);
        pairCount++;
    }

    private static void Ratio(
        ref ReplyWriter reply, ref long pairCount, ReadOnlySpan<byte> name, double value)
    {
        reply.Bulk(name);
        reply.Double(value);
        pairCount++;
    }

    private static double Share(long part, long whole) => whole == 0 ? 0 : part * 100.0 / whole;

    private static void Diagnose(StringBuilder text, MemoryReport memory, long clientCount)
    {
        CultureInfo culture = CultureInfo.InvariantCulture;
        if (memory.Peak > memory.Used * PeakRatioMax)
        {
            text.Append(culture, $"* Peak: the server once used {InfoText.Human(memory.Peak)}, now ");
            text.Append(culture, $"{InfoText.Human(memory.Used)}. ");
            text.Append("MEMORY PURGE gives back what is held in reserve.\n");
        }

        if (memory.ResidentRatio > ResidentRatioMax && memory.Resident - memory.Used > WasteBytesMin)
        {
            text.Append(culture, $"* Resident: {InfoText.Human(memory.Resident)} of physical memory for ");
            text.Append(culture, $"{InfoText.Human(memory.Used)} in use. ");
            text.Append("The runtime takes a fixed part; the rest are places that new keys fill.\n");
        }

        if (memory.ActiveRatio > ResidentRatioMax && memory.Active - memory.Used > WasteBytesMin)
        {
            text.Append(culture, $"* Fragments: {InfoText.Human(memory.Active)} are in pages for ");
            text.Append(culture, $"{InfoText.Human(memory.Used)} in use.\n");
        }

        if (clientCount > 0 && memory.Clients / clientCount > ClientBytesMax)
        {
            text.Append(culture, $"* Clients: {InfoText.Human(memory.Clients)} are ");
            text.Append("half commands and unsent replies. CLIENT LIST shows whose (qbuf, omem).\n");
        }
    }
}
