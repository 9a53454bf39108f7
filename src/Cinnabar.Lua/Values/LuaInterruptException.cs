namespace Cinnabar.Lua.Values;

/// <summary>The host ended the run: thrown by the hook that it gave.</summary>
public sealed class LuaInterruptException(string message) : LuaAbortException(message);
