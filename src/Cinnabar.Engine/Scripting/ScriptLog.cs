using Cinnabar.Engine.Logging;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>The arguments of redis.log.</summary>
internal static class ScriptLog
{
    /// <summary>Reads a line for the log.</summary>
    /// <exception cref="LuaException">The arguments are wrong.</exception>
    public static (LogLevel Level, string Line) Read(LuaCall call, ScriptNames names)
    {
        if (call.Count < 2)
            throw Error(call, names, "ERR redis.log() requires two arguments or more."u8);
        if (!call[0].IsNumber)
            throw Error(call, names, "ERR First argument must be a number (log level)."u8);
        double level = Math.Truncate(call[0].Number);
        if (level is not (>= (double)LogLevel.Debug and <= (double)LogLevel.Warning))
            throw Error(call, names, "ERR Invalid debug level."u8);
        List<string> words = [];
        for (int index = 1; index < call.Count; index++)
        {
            if (call[index].TryToText(out LuaString word))
            {
                // The characters, and the line that they become.
                call.Charge(4L * word.Length);
                words.Add(Encoding.UTF8.GetString(word.Bytes));
            }
        }

        return ((LogLevel)level, string.Join(' ', words));
    }

    private static LuaException Error(LuaCall call, ScriptNames names, ReadOnlySpan<byte> text) =>
        new(RedisLibrary.ErrorTable(call.Machine, names, text, isCounted: false));
}
