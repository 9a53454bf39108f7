// The use of memory. All native memory comes from one page source and the regions of big values, so the sums
// are exact:
//
//   used     = blocks in use, rounded to their size classes, and what clients have sent that is not executed:
//              half commands and queued ones                     (Keyspace.UsedBytes)
//     dataset  = entries of the stripes, big values              (arenas, block and tree source)
//     overhead = all the rest: tables, deadlines, output, what the empty server needs
//   active   = pages that hold them, free places included        (Keyspace.MeasurePages)
//   backed   = all pages of the server that have memory, those kept for what comes included
//   mapped   = address space of the server's pages, without memory in part (Keyspace.MappedBytes)
//   resident = what the system counts for the process, .NET runtime, code and managed heap included
//
// Read without locks: the parts may be of slightly different instants, so differences are cut off at zero.

using Cinnabar.Engine.Observing;
using Cinnabar.Engine.Sessions;
using Cinnabar.Memory;

namespace Cinnabar.Engine.Information;

/// <summary>A server's use of memory at an instant, in bytes.</summary>
internal sealed class MemoryReport
{
    /// <summary>Adds up a few sums for each stripe, however much memory there is.</summary>
    public MemoryReport(ServerEngine engine)
    {
        foreach (Stripe stripe in engine.Keyspace.Stripes)
            Dataset += stripe.Arena.UsedBytes;
        Dataset += engine.Keyspace.Blocks.UsedBytes + engine.Keyspace.Trees.UsedBytes;
        foreach (Session session in engine.Sessions.Unordered)
        {
            Clients += ClientDescription.KindOf(session) == ClientKind.Replica ? 0
                : ClientDescription.MemoryOf(session);
        }

        Replication = ReplicationMemory.Of(engine);
        Mapped = engine.Keyspace.MappedBytes + engine.Sessions.Buffers.UsedBytes;
        // A snapshot that ends meanwhile frees all its copies: they are looked at on both sides.
        long uncounted = engine.Keyspace.UncountedBytes;
        Used = Math.Max(engine.Keyspace.UsedBytes, Dataset);
        Uncounted = Math.Max(uncounted, engine.Keyspace.UncountedBytes);
        PageUse pages = engine.Keyspace.MeasurePages();
        Active = Math.Max(Used, pages.ActiveBytes);
        Backed = Math.Max(Active, pages.ResidentBytes);
        (Peak, PeakUnixS) = engine.Statistics.MemoryPeak(Used);
        Startup = engine.StartupBytes;
        Resident = engine.Statistics.ResidentBytes;
    }

    /// <summary>In use.</summary>
    public long Used { get; }

    /// <summary>Of that, what <c>maxmemory</c> does not limit.</summary>
    public long Uncounted { get; }

    /// <summary>The most that was ever in use.</summary>
    public long Peak { get; }

    /// <summary>When that was reached, in seconds since 1970.</summary>
    public long PeakUnixS { get; }

    /// <summary>In use when the server was empty.</summary>
    public long Startup { get; }

    /// <summary>In keys and values.</summary>
    public long Dataset { get; }

    /// <summary>In use for the rest.</summary>
    public long Overhead => Used - Dataset;

    public long Mapped { get; }

    /// <summary>In pages that hold what is in use.</summary>
    public long Active { get; }

    /// <summary>In all pages of the server's own that have memory.</summary>
    public long Backed { get; }

    /// <summary>Of the process, in physical memory.</summary>
    public long Resident { get; }

    /// <summary>For replicas.</summary>
    public ReplicationMemory Replication { get; }

    /// <summary>For the clients' sessions, those of replicas left out:
    /// half commands, transactions, replies not yet sent.</summary>
    public long Clients { get; }

    /// <summary>In use since the start.</summary>
    public long Net => Math.Max(0, Used - Startup);

    /// <summary>The total that the share of the data refers to: never less than the data.</summary>
    public long Shared => Math.Max(Net, Dataset);

    /// <summary>Active to used.</summary>
    public double ActiveRatio => Ratio(Active, Used);

    /// <summary>Backed to active.</summary>
    public double BackedRatio => Ratio(Backed, Active);

    /// <summary>Resident to backed.</summary>
    public double ProcessRatio => Ratio(Resident, Backed);

    /// <summary>Resident to used.</summary>
    public double ResidentRatio => Ratio(Resident, Used);

    private static double Ratio(long whole, long part) => part == 0 ? 0 : (double)whole / part;
}
