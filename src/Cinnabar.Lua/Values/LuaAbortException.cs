namespace Cinnabar.Lua.Values;

/// <summary>Ends a run: passes through pcall, xpcall and coroutines.</summary>
public abstract class LuaAbortException(string message) : Exception(message);
