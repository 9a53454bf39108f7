using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Numbers;

/// <summary>The library <c>os</c>, of which a sandbox has the clock only.</summary>
internal static class ClockLibrary
{
    /// <summary>Opens the library.</summary>
    /// <param name="machine">The machine.</param>
    /// <param name="clock">Seconds of processor time.</param>
    internal static LuaTable Open(LuaMachine machine, Func<double> clock) =>
        LibraryTable.Make(machine, [("clock", call => call.Return(clock()))]);
}
