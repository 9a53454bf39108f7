// What the code of a library finds while it is loaded: `redis` (also `server`) with register_function, log
// and constants, and nothing else. Functions may keep that table and come back to it when they are called:
// then it registers nothing.

using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Scripts;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>The environment in which libraries are loaded; of one machine.</summary>
internal sealed class LibraryApi
{
    private readonly LuaMachine _lua;
    private readonly ScriptNames _names;
    private readonly List<Registration> _registrations = [];
    private readonly List<LuaFunction> _callbacks = [];
    private readonly List<(LogLevel Level, string Line)> _lines = [];
    private bool _isLoading;

    /// <summary>Makes it.</summary>
    /// <param name="lua">The machine, whose globals are complete.</param>
    /// <param name="names">Names of the machine.</param>
    /// <param name="redisVersion">The version of Redis that libraries may take the server for.</param>
    public LibraryApi(LuaMachine lua, ScriptNames names, string redisVersion)
    {
        (_lua, _names) = (lua, names);
        LuaTable api = lua.NewTable();
        lua.SetFunction(api, "register_function", Register);
        lua.SetFunction(api, "log", Log);
        RedisLibrary.SetVersionAndLevels(api, redisVersion);
        Environment = lua.NewTable();
        Environment.Set("redis", LuaValue.From(api));
        Environment.Set("server", LuaValue.From(api));
        // The use of what is missing is an error, as of a missing global.
        foreach (LuaTable table in new[] { api, Environment })
        {
            table.Metatable = lua.Globals.Metatable;
            table.IsReadOnly = true;
        }
    }

    /// <summary>The globals of code that is loaded.</summary>
    public LuaTable Environment { get; }

    /// <summary>The functions that were registered.</summary>
    public IReadOnlyList<Registration> Registrations => _registrations;

    /// <summary>What is called for each of them.</summary>
    public LuaFunction[] Callbacks => [.. _callbacks];

    /// <summary>What was logged.</summary>
    public IReadOnlyList<(LogLevel Level, string Line)> Lines => _lines;

    /// <summary>Begins a load.</summary>
    public void Begin()
    {
        _registrations.Clear();
        _callbacks.Clear();
        _lines.Clear();
        _isLoading = true;
    }

    /// <summary>Ends it.</summary>
    public void End() => _isLoading = false;

    private LuaException Error(string text) => new(RedisLibrary.ErrorTable(
        _lua, _names, Encoding.ASCII.GetBytes("ERR " + text), isCounted: false));

    private int Log(LuaCall call)
    {
        (LogLevel level, string line) = ScriptLog.Read(call, _names);
        if (_isLoading)
            _lines.Add((level, line));
        return call.Return();
    }

    private int Register(LuaCall call)
    {
        if (!_isLoading)
            throw Error("redis.register_function can only be called on FUNCTION LOAD command");
        if (call.Count is < 1 or > 2)
            throw Error("wrong number of arguments to redis.register_function");
        if (call.Count == 1)
            RegisterNamed(call);
        else
            RegisterPlain(call);
        return call.Return();
    }

    private void RegisterPlain(LuaCall call)
    {
        if (!call[0].TryToText(out LuaString name))
            throw Error("first argument to redis.register_function must be a string");
        if (!call[1].IsFunction)
            throw Error("second argument to redis.register_function must be a function");
        Add(name.ToString(), call[1], ScriptFlags.None, description: null);
    }

    private void RegisterNamed(LuaCall call)
    {
        if (!call[0].IsTable)
        {
            throw Error("calling redis.register_function with a single argument is only applicable to Lua "
                + "table (representing named arguments).");
        }

        string? name = null;
        LuaValue callback = default;
        ScriptFlags flags = ScriptFlags.None;
        byte[]? description = null;
        LuaValue key = default;
        while (call[0].Table.Next(ref key, out LuaValue value))
        {
            if (!key.TryToText(out LuaString option))
                throw Error("named argument key given to redis.register_function is not a string");
            switch (option.ToString().ToLowerInvariant())
            {
                case "function_name":
                    name = TextOf(value, "function_name argument given to").ToString();
                    break;
                case "description":
                    description = TextOf(value, "description argument given to").Bytes.ToArray();
                    break;
                case "callback" when value.IsFunction:
                    callback = value;
                    break;
                case "callback":
                    throw Error("callback argument given to redis.register_function must be a function");
                case "flags":
                    flags = FlagsOf(value);
                    break;
                default:
                    throw Error("unknown argument given to redis.register_function");
            }
        }

        if (name is null)
            throw Error("redis.register_function must get a function name argument");
        if (callback.IsNil)
            throw Error("redis.register_function must get a callback argument");
        Add(name, callback, flags, description);
    }

    private LuaString TextOf(LuaValue value, string what) => value.TryToText(out LuaString text)
        ? text : throw Error($"{what} redis.register_function must be a string");

    private ScriptFlags FlagsOf(LuaValue value)
    {
        if (!value.IsTable)
        {
            throw Error("flags argument to redis.register_function must be a table representing function "
                + "flags");
        }

        ScriptFlags flags = ScriptFlags.None;
        for (int index = 1; value.Table.Get(index) is { IsNil: false } item; index++)
        {
            ScriptFlags flag = item.IsString
                ? ScriptHeader.FlagOf(item.String.ToString().ToLowerInvariant()) : ScriptFlags.None;
            if (flag == ScriptFlags.None)
                throw Error("unknown flag given");
            flags |= flag;
        }

        return flags;
    }

    private void Add(string name, LuaValue callback, ScriptFlags flags, byte[]? description)
    {
        if (!LibraryHeader.IsName(name))
            throw Error(LibraryHeader.NameMistake);
        if (_registrations.Exists(other => other.Name.Equals(name, StringComparison.OrdinalIgnoreCase)))
            throw Error("Function already exists in the library");
        _registrations.Add(new Registration(name, flags, description));
        _callbacks.Add((LuaFunction)callback.Object!);
    }
}
