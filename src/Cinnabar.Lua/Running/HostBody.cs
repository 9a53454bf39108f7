namespace Cinnabar.Lua.Running;

/// <summary>What a function of the host does.</summary>
/// <param name="call">Its arguments and the way to its results.</param>
/// <returns>Number of results, which it has given by <see cref="LuaCall.Return()"/> and its like.</returns>
public delegate int HostBody(LuaCall call);
