namespace Cinnabar.Lua.Values;

/// <summary>Ends a run: passes through pcall, xpcall and coroutines.</summary>
public abstract class LuaAbortException(string message) : Exception(message)
{
    /// <summary>The line that the main thread was at; 0: none is known.</summary>
    public int Line { get; internal set; }
}
