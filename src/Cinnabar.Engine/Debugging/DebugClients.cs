using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Debugging;

/// <summary>DEBUG CLIENT-EVICTION: clients by the memory that they take.</summary>
internal static class DebugClients
{
    // The first bucket ends at two to the power of the first exponent, the last begins at that of the last
    // one.
    private const int ExponentFirst = 15;
    private const int ExponentLast = 32;

    /// <summary>Replies the buckets; an error where maxmemory-clients is 0, as in Redis.</summary>
    public static void ReplyBuckets(SessionExecution execution)
    {
        if (execution.Engine.Settings.MaxMemoryClients == 0)
        {
            execution.Reply.Error("ERR maxmemory-clients is disabled."u8);
            return;
        }

        Span<long> bytes = stackalloc long[ExponentLast - ExponentFirst + 2];
        Span<long> counts = stackalloc long[bytes.Length];
        bytes.Clear();
        counts.Clear();
        foreach (Session session in execution.Engine.Sessions.All)
        {
            if (session.IsNoEvict)
                continue;
            long size = ClientDescription.MemoryOf(session);
            int exponent = BitOperations.Log2((ulong)size);
            int bucket = Math.Clamp(exponent - ExponentFirst + 1, 0, bytes.Length - 1);
            bytes[bucket] += size;
            counts[bucket]++;
        }

        var text = new StringBuilder();
        for (int bucket = 0; bucket < bytes.Length; bucket++)
        {
            long first = bucket == 0 ? 0 : 1L << (ExponentFirst + bucket - 1);
            string end = bucket == bytes.Length - 1
                ? "+            "
                : string.Create(CultureInfo.InvariantCulture,
                    $" - {(1L << (ExponentFirst + bucket)) - 1,10}");
            text.Append(CultureInfo.InvariantCulture,
                $"bucket {first,10}{end}: tot-mem: {bytes[bucket],10}, clients: {counts[bucket]}\n");
        }

        execution.Reply.Verbatim("txt"u8, Encoding.ASCII.GetBytes(text.ToString()));
    }
}
