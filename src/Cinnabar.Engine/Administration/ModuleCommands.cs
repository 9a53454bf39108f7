using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Logging;

namespace Cinnabar.Engine.Administration;

/// <summary>
/// MODULE: modules of Redis are machine code for its own process, so none is ever loaded. Without
/// <c>enable-module-command</c> clients do not get here with anything but LIST and HELP.
/// </summary>
internal static class ModuleCommands
{
    /// <summary>MODULE LIST: none.</summary>
    public static void List(SessionExecution execution) => execution.Reply.ArrayHeader(0);

    /// <summary>MODULE LOAD path [arg ...]</summary>
    public static void Load(SessionExecution execution) => Refuse(execution);

    /// <summary>MODULE LOADEX path [CONFIG name value ...] [ARGS arg ...]</summary>
    public static void LoadEx(SessionExecution execution) => Refuse(execution);

    /// <summary>MODULE UNLOAD name</summary>
    public static void Unload(SessionExecution execution) =>
        execution.Reply.Error("ERR Error unloading module: no such module with that name"u8);

    private static void Refuse(SessionExecution execution)
    {
        execution.Engine.Log.Write(
            LogLevel.Warning, "A module was not loaded: modules of Redis cannot be loaded.");
        execution.Reply.Error("ERR Error loading the extension. Please check the server logs."u8);
    }
}
