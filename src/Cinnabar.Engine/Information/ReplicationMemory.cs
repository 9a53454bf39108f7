// What replication takes of a server's memory, in Redis's terms. The newest bytes of the stream are the
// backlog, up to its configured size; what is kept beyond that is there for replicas that have not taken it,
// as are data of full synchronisations that are on their way. maxmemory does not count what is beyond.

using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Replication.Replicas;
using Cinnabar.Engine.Sessions;

namespace Cinnabar.Engine.Information;

/// <summary>A server's memory for replication at an instant, in bytes.</summary>
/// <param name="Backlog">The stream's newest bytes, as many as are wanted.</param>
/// <param name="Beyond">Those that are kept for slow replicas only.</param>
/// <param name="Payloads">Data on their way to replicas.</param>
/// <param name="Sessions">The connections of the replicas.</param>
internal readonly record struct ReplicationMemory(long Backlog, long Beyond, long Payloads, long Sessions)
{
    /// <summary>All that is for replicas, and not the backlog.</summary>
    public long Replicas => Beyond + Payloads + Sessions;

    /// <summary>Measures a server.</summary>
    public static ReplicationMemory Of(ServerEngine engine)
    {
        (long backlog, long beyond) = engine.Replicas.StreamBytes;
        // Where nobody follows, what is kept beyond its size, a part of a block, is the backlog's.
        if (engine.Replicas.All.Length == 0)
            (backlog, beyond) = (backlog + beyond, 0);
        long sessions = 0;
        foreach (Replica replica in engine.Replicas.All)
        {
            Session session = replica.Session;
            sessions += ClientDescription.MemoryOf(session) - (session.Unsent?.ByteCount ?? 0);
        }

        return new ReplicationMemory(
            backlog, beyond, engine.Replicas.Synchronisation.MemoryBytes, Math.Max(0, sessions));
    }
}
