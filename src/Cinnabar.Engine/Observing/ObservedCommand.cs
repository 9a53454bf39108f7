using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Observing;

/// <summary>A command that has been executed, as its observers see it.</summary>
/// <param name="Session">Its session.</param>
/// <param name="Spec">The command.</param>
/// <param name="Arguments">Its arguments, valid during the call.</param>
internal readonly record struct ObservedCommand(Session Session, CommandSpec Spec, ArgumentList Arguments)
{
    /// <summary>The command that an execution has just run.</summary>
    public static ObservedCommand Of(SessionExecution execution) =>
        new(execution.Session, execution.Spec, execution.Arguments);
}
