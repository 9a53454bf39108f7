using Cinnabar.Lua.Libraries.Json;
using Cinnabar.Lua.Libraries.MessagePack;
using Cinnabar.Lua.Libraries.Numbers;
using Cinnabar.Lua.Libraries.Strings;
using Cinnabar.Lua.Libraries.Structs;
using Cinnabar.Lua.Libraries.Tables;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries;

/// <summary>The libraries of a machine that a host can open, each as a table that it puts where scripts find
/// it: those of Lua 5.1, and those that scripts of Redis have beside.</summary>
/// <remarks>What a script changes in a library's own state (the seed of random numbers, the settings of
/// cjson) is undone by
/// <see cref="Reset"/>, which the host calls before each run.</remarks>
public sealed class StandardLibraries
{
    private readonly LuaMachine _machine;
    private readonly MathLibrary _math = new();
    private JsonLibrary? _json;

    /// <summary>The libraries of a machine; none is open.</summary>
    public StandardLibraries(LuaMachine machine)
    {
        _machine = machine;
        JsonNull = LuaValue.From(new LuaUserdata(null) { IsNull = true });
    }

    /// <summary>The value that stands for null in JSON: <c>cjson.null</c>.</summary>
    public LuaValue JsonNull { get; }

    /// <summary>Opens <c>string</c>, and makes it the index of all strings.</summary>
    public LuaTable OpenString()
    {
        LuaTable table = StringLibrary.Open(_machine);
        LuaTable meta = _machine.NewTable();
        meta.Set("__index", LuaValue.From(table));
        _machine.StringMetatable = meta;
        return table;
    }

    /// <summary>Opens <c>table</c>.</summary>
    public LuaTable OpenTable() => TableLibrary.Open(_machine);

    /// <summary>Opens <c>math</c>.</summary>
    public LuaTable OpenMath() => _math.Open(_machine);

    /// <summary>Opens <c>os</c>, which has <c>clock</c> only.</summary>
    /// <param name="clock">Seconds of processor time.</param>
    public LuaTable OpenOs(Func<double> clock) => ClockLibrary.Open(_machine, clock);

    /// <summary>Opens <c>bit</c>.</summary>
    public LuaTable OpenBit() => BitLibrary.Open(_machine);

    /// <summary>Opens <c>struct</c>.</summary>
    public LuaTable OpenStruct() => StructLibrary.Open(_machine);

    /// <summary>Opens <c>cjson</c>.</summary>
    public LuaTable OpenJson() => JsonLibrary.Open(_machine, JsonNull, out _json);

    /// <summary>Opens <c>cmsgpack</c>.</summary>
    public LuaTable OpenMessagePack() => MessagePackLibrary.Open(_machine);

    /// <summary>Undoes what scripts have changed in the libraries' own state.</summary>
    /// <param name="seed">Where the random numbers begin.</param>
    public void Reset(int seed = 0)
    {
        _math.Seed(seed);
        _json?.Reset();
    }
}
