using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Compiling;

/// <summary>What a closure's upvalue is made of: a register of the function around it, or an upvalue of
/// that.</summary>
internal readonly record struct UpvalueSource(LuaString Name, bool IsRegister, int Index);
