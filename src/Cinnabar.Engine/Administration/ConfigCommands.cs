using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Gates;

namespace Cinnabar.Engine.Administration;

/// <summary>
/// CONFIG over the registry of directives. Names and values are bytes, kept one a character.
/// </summary>
internal static class ConfigCommands
{
    private const int ArgumentFirst = 2;

    /// <summary>CONFIG GET pattern [pattern ...]: sorted by name.</summary>
    public static void Get(SessionExecution execution)
    {
        List<string> patterns = [];
        for (int index = ArgumentFirst; index < execution.ArgumentCount; index++)
            patterns.Add(TextOf(execution, index));
        List<KeyValuePair<string, string>> found = execution.Engine.Configuration.Get(patterns);
        found.Sort(static (left, right) => string.CompareOrdinal(left.Key, right.Key));
        execution.Reply.MapHeader(found.Count);
        foreach ((string name, string value) in found)
        {
            execution.Reply.Bulk(Encoding.Latin1.GetBytes(name));
            execution.Reply.Bulk(Encoding.Latin1.GetBytes(value));
        }
    }

    /// <summary>CONFIG SET directive value [directive value ...]: all or none.</summary>
    public static void Set(SessionExecution execution)
    {
        if ((execution.ArgumentCount - ArgumentFirst) % 2 != 0)
        {
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        List<KeyValuePair<string, string>> pairs = [];
        for (int index = ArgumentFirst; index < execution.ArgumentCount; index += 2)
            pairs.Add(new(TextOf(execution, index), TextOf(execution, index + 1)));
        bool isSwitch = pairs.Exists(static pair =>
            pair.Key.Equals("appendonly", StringComparison.OrdinalIgnoreCase));
        bool isLocal = execution.Session.Endpoint.IsLoopback;
        ReplyOutcome(execution, execution.Engine.Configuration.Set(pairs, isLocal));
        if (!execution.CanWait && isSwitch)
            execution.Engine.Data.AppendOnlySwitch.NoteTransaction();
    }

    /// <summary>CONFIG RESETSTAT</summary>
    public static void ResetStat(SessionExecution execution)
    {
        execution.Engine.ResetStatistics();
        execution.Engine.Tls.ResetStatistics();
        execution.Reply.Ok();
    }

    /// <summary>CONFIG REWRITE</summary>
    public static void Rewrite(SessionExecution execution) => Rewrite(execution, isComplete: false);

    /// <summary>Updates the file, or replies why it cannot.</summary>
    internal static void Rewrite(SessionExecution execution, bool isComplete) =>
        ReplyOutcome(execution, execution.Engine.Configuration.Rewrite(isComplete));

    private static string TextOf(SessionExecution execution, int index) =>
        Encoding.Latin1.GetString(execution.Argument(index));

    private static void ReplyOutcome(SessionExecution execution, string? error)
    {
        if (error is null)
            execution.Reply.Ok();
        else
            execution.Reply.Error(Encoding.Latin1.GetBytes(error));
    }
}
