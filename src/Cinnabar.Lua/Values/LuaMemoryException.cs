namespace Cinnabar.Lua.Values;

/// <summary>The run needs more memory than its limit.</summary>
public sealed class LuaMemoryException() : LuaAbortException("not enough memory");
