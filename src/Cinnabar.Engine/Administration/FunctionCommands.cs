using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Replies;

namespace Cinnabar.Engine.Administration;

/// <summary>
/// FUNCTION without functions: no library can be loaded, so none is listed or run, and FLUSH has nothing to
/// remove.
/// </summary>
internal static class FunctionCommands
{
    /// <summary>FUNCTION KILL</summary>
    public static void Kill(SessionExecution execution) =>
        execution.Reply.Error("NOTBUSY No scripts in execution right now."u8);

    /// <summary>FUNCTION FLUSH [ASYNC | SYNC]</summary>
    public static void FlushFunctions(SessionExecution execution)
    {
        if (execution.ArgumentCount > 3)
            SubcommandError.Reply(execution);
        else if (execution.ArgumentCount == 2 || IsFlushMode(execution))
            execution.Reply.Ok();
        else
            execution.Reply.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option"u8);
    }

    /// <summary>FUNCTION DELETE library</summary>
    public static void DeleteFunctions(SessionExecution execution) =>
        execution.Reply.Error("ERR Library not found"u8);

    /// <summary>FUNCTION LIST [LIBRARYNAME pattern] [WITHCODE]: an array of libraries, without any.</summary>
    public static void ListFunctions(SessionExecution execution)
    {
        bool hasName = false;
        bool hasCode = false;
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            if (!hasCode && execution.Is(index, "withcode"u8))
            {
                hasCode = true;
            }
            else if (hasName || !execution.Is(index, "libraryname"u8))
            {
                execution.Reply.Error("ERR Unknown argument "u8, execution.Argument(index), ""u8);
                return;
            }
            else if (++index == execution.ArgumentCount)
            {
                execution.Reply.Error("ERR library name argument was not given"u8);
                return;
            }
            else
            {
                hasName = true;
            }
        }

        execution.Reply.ArrayHeader(0);
    }

    private static bool IsFlushMode(SessionExecution execution) =>
        execution.Is(2, "async"u8) || execution.Is(2, "sync"u8);
}
