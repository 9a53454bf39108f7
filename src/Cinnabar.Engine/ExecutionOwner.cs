using Cinnabar.Engine.Executions;

namespace Cinnabar.Engine;

/// <summary>The server that an execution belongs to, for the handlers of commands on server and
/// sessions.</summary>
internal static class ExecutionOwner
{
    extension(SessionExecution execution)
    {
        internal ServerEngine Engine => (ServerEngine)execution.Server;
    }
}
