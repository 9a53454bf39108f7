using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Administration;

/// <summary>HELP of every container: the lines of its spec.</summary>
internal static class HelpCommand
{
    /// <summary>Replies the lines of the container that HELP belongs to.</summary>
    public static void Run(SessionExecution execution) =>
        SpecReply.Write(ref execution.Reply, execution.Spec.Parent!.HelpTree);
}
