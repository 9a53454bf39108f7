using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>A local variable: its register, and the instructions [start, end) in which it lives.</summary>
internal record struct LocalVariable(LuaString Name, int Register, int Start, int End);
