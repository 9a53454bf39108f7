using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting.Debugging;

/// <summary>The client has ended the script that it debugs.</summary>
internal sealed class DebugEndException(string message) : LuaAbortException(message);
