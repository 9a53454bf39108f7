using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Diagnostics;

/// <summary>SLOWLOG.</summary>
internal static class SlowLogCommands
{
    private const int CountDefault = 10;

    /// <summary>What a count must be.</summary>
    internal static ReadOnlySpan<byte> CountError => "ERR count should be greater than or equal to -1"u8;

    /// <summary>SLOWLOG GET [count]</summary>
    public static void Get(SessionExecution execution)
    {
        if (execution.ArgumentCount > 3)
        {
            execution.Reply.Error("ERR unknown subcommand or wrong number of arguments for '"u8,
                execution.Argument(1), "'. Try SLOWLOG HELP."u8);
            return;
        }

        long count = CountDefault;
        if (execution.ArgumentCount == 3
            && (!RedisNumber.TryParseInt64(execution.Argument(2), out count) || count < -1))
        {
            execution.Reply.Error(CountError);
            return;
        }

        execution.Engine.Observation.Slow.Reply(ref execution.Reply, count);
    }

    /// <summary>SLOWLOG LEN</summary>
    public static void Len(SessionExecution execution) =>
        execution.Reply.Integer(execution.Engine.Observation.Slow.Count);

    /// <summary>SLOWLOG RESET</summary>
    public static void Reset(SessionExecution execution)
    {
        execution.Engine.Observation.Slow.Reset();
        execution.Reply.Ok();
    }
}
