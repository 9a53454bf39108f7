using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>The keys of tables that stand for replies, and other names; of one machine.</summary>
internal sealed class ScriptNames
{
    /// <summary>Of an error.</summary>
    public LuaString Err { get; } = LuaString.From("err");

    /// <summary>Of a status.</summary>
    public LuaString Ok { get; } = LuaString.From("ok");

    /// <summary>Of a floating-point number.</summary>
    public LuaString Double { get; } = LuaString.From("double");

    /// <summary>Of a map.</summary>
    public LuaString Map { get; } = LuaString.From("map");

    /// <summary>Of a set.</summary>
    public LuaString Set { get; } = LuaString.From("set");

    /// <summary>Of a big number.</summary>
    public LuaString BigNumber { get; } = LuaString.From("big_number");

    /// <summary>Of a text with a format.</summary>
    public LuaString VerbatimString { get; } = LuaString.From("verbatim_string");

    /// <summary>The text within that.</summary>
    public LuaString String { get; } = LuaString.From("string");

    /// <summary>The format within that.</summary>
    public LuaString Format { get; } = LuaString.From("format");

    /// <summary>Marks an error that has been counted.</summary>
    public LuaString IsCounted { get; } = LuaString.From("ignore_error_stats_update");

    /// <summary>The global with the keys.</summary>
    public LuaValue Keys { get; } = LuaValue.FromString("KEYS");

    /// <summary>The global with the other arguments.</summary>
    public LuaValue Arguments { get; } = LuaValue.FromString("ARGV");
}
