using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Scripts;

namespace Cinnabar.Engine.Scripting;

/// <summary>A function that runs, for FUNCTION STATS.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Command">The command that has called it.</param>
/// <param name="StartNs">When it began, in monotonic nanoseconds.</param>
internal sealed record RunningFunction(string Name, byte[][] Command, long StartNs)
{
    /// <summary>Of a run that begins.</summary>
    public static RunningFunction Of(SessionExecution execution, Runnable function, long startNs)
    {
        var command = new byte[execution.ArgumentCount][];
        for (int index = 0; index < command.Length; index++)
            command[index] = execution.Argument(index).ToArray();
        return new RunningFunction(function.Name, command, startNs);
    }
}
