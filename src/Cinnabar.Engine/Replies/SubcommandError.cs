using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine.Replies;

/// <summary>The error of a subcommand with wrong arguments.</summary>
internal static class SubcommandError
{
    /// <summary>Replies the error.</summary>
    public static void Reply(SessionExecution execution)
    {
        string container = (execution.Spec.Parent ?? execution.Spec).Name.ToUpperInvariant();
        execution.Reply.Error("ERR unknown subcommand or wrong number of arguments for '"u8,
            execution.Argument(1),
            Encoding.ASCII.GetBytes($"'. Try {container} HELP."));
    }
}
