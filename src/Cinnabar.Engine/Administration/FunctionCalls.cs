using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Scripting;
using Cinnabar.Engine.Scripts;

namespace Cinnabar.Engine.Administration;

/// <summary>FCALL and FCALL_RO.</summary>
internal static class FunctionCalls
{
    private const int KeyCountIndex = 2;

    /// <summary>FCALL function numkeys [key ...] [arg ...]</summary>
    public static Outcome Call(SessionExecution execution) => Call(execution, isReadOnly: false);

    /// <summary>FCALL_RO function numkeys [key ...] [arg ...]</summary>
    public static Outcome CallReadOnly(SessionExecution execution) => Call(execution, isReadOnly: true);

    private static Outcome Call(SessionExecution execution, bool isReadOnly)
    {
        ServerEngine engine = execution.Engine;
        if (engine.FunctionMachines.Libraries.Current.FindFunction(execution.Argument(1)) is not { } function)
        {
            execution.Reply.Error("ERR Function not found"u8);
            return Outcome.Done;
        }

        if (!RedisNumber.TryParseInt64(execution.Argument(KeyCountIndex), out long keyCount))
            execution.Reply.Error("ERR Bad number of keys provided"u8);
        else if (ScriptAdmission.IsKeyCount(execution, keyCount)
            && !ScriptAdmission.Refuses(execution, function, isReadOnly, out bool writesNothing))
        {
            if (ScriptAdmission.MustMove(execution, function, out Outcome outcome))
                return outcome;
            if (!ScriptKill.Refuses(execution, function.Name, FunctionLibrary.ChunkName))
                return engine.FunctionMachines.Run(execution, function, (int)keyCount, writesNothing);
        }

        return Outcome.Done;
    }
}
