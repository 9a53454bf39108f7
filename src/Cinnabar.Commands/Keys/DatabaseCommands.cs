
namespace Cinnabar.Commands.Keys;

/// <summary>Commands on whole databases: DBSIZE, FLUSHALL, FLUSHDB, SWAPDB.</summary>
public static class DatabaseCommands
{
    private const int AllDatabases = -1;

    /// <summary>DBSIZE: keys past their deadline that are not yet removed count, as in Redis.</summary>
    public static void DbSize(Execution execution) =>
        execution.Reply.Integer(execution.Keys.Keyspace.Count(execution.Keys.Database));

    /// <summary>FLUSHALL [ASYNC | SYNC].</summary>
    public static Outcome FlushAll(Execution execution) => Flush(execution, AllDatabases);

    /// <summary>FLUSHDB [ASYNC | SYNC].</summary>
    public static Outcome FlushDb(Execution execution) => Flush(execution, execution.Keys.Database);

    /// <summary>SWAPDB index1 index2.</summary>
    public static void SwapDb(Execution execution)
    {
        if (!DatabaseNumber.TryParse(execution, 1, "ERR invalid first DB index"u8, out int first)
            || !DatabaseNumber.TryParse(execution, 2, "ERR invalid second DB index"u8, out int second)
            || !DatabaseNumber.Exists(execution, first) || !DatabaseNumber.Exists(execution, second))
            return;
        if (first != second)
            execution.Keys.Swap(first, second);
        else
            execution.Keys.CountChanges(1);
        execution.Reply.Ok();
    }

    /// <summary>
    /// The keys are gone for all clients at once. The housekeeping frees their memory in slices; with SYNC,
    /// the default unless lazyfree-lazy-user-flush is on, this client waits for that, and no other does.
    /// </summary>
    private static Outcome Flush(Execution execution, int database)
    {
        bool isSync = execution.ArgumentCount == 2 && execution.Is(1, "sync"u8);
        bool isAsync = execution.ArgumentCount == 2 && execution.Is(1, "async"u8);
        if (execution.ArgumentCount > 1 && !isSync && !isAsync)
        {
            execution.Reply.Error(Errors.Syntax);
            return Outcome.Done;
        }

        isSync |= !isAsync && !execution.IsFlushLazy;
        execution.Keys.Flush(database);
        // Also where there was nothing, as in Redis.
        if (execution.Effects.IsRecording)
        {
            execution.Effects.Begin(execution.Argument(0))
                .With(execution.Arguments, 1, execution.ArgumentCount - 1).End();
        }

        return execution.EndFlush(isAll: database == AllDatabases, isSync);
    }
}
