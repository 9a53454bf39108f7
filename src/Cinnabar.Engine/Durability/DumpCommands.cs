using Cinnabar.Engine.Executions;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Persistence.Rdb.Writing;

namespace Cinnabar.Engine.Durability;

/// <summary>DUMP.</summary>
internal static class DumpCommands
{
    private const long NsPerByte = 2;
    private const long NsAtLeast = 2_000;

    /// <summary>DUMP key.</summary>
    public static Outcome Dump(SessionExecution execution)
    {
        EntryView entry = execution.FindKept(1);
        if (entry.IsMissing)
        {
            execution.Reply.Null();
            return Outcome.Done;
        }

        if (execution.MustLeaveKeys(NsAtLeast + Execution.EstimateNs(entry.MemoryUsage, NsPerByte)))
            return Outcome.OffLoopWithoutKeys;
        WriteOptions options = execution.Engine.Data.Writing;
        using RdbOutput output = options.NewOutput();
        try
        {
            DumpPayload.Write(output, entry, options.Compatibility);
            execution.Reply.Bulk(output.Written);
        }
        catch (RdbInexpressibleException lack)
        {
            execution.Reply.Error(Encoding.UTF8.GetBytes("ERR " + lack.TextFor(execution.Argument(1))));
        }

        return Outcome.Done;
    }
}
