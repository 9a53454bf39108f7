using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>A library in one machine.</summary>
/// <param name="Callbacks">What is called for each function, in the order of registration.</param>
/// <param name="State">What they keep between their calls.</param>
internal sealed record LibraryInstance(LuaFunction[] Callbacks, KeptState State);
