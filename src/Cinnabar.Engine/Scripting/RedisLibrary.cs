using Cinnabar.Engine.Logging;
using Cinnabar.Engine.Scripting.Debugging;
using Cinnabar.Engine.Scripts;
using Cinnabar.Keyspace.Journaling;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>The table <c>redis</c> of scripts, which is also <c>server</c>.</summary>
internal sealed class RedisLibrary(
    LuaMachine lua, ScriptRun run, ScriptNames names, ScriptSurroundings surroundings)
{

    /// <summary>Puts the table into the globals.</summary>
    /// <param name="isForFunctions">Whether those of libraries find it: they have no debugger.</param>
    public void Open(bool isForFunctions = false)
    {
        LuaTable table = lua.NewTable();
        lua.SetFunction(table, "call", call => Call(call, isProtected: false));
        lua.SetFunction(table, "pcall", call => Call(call, isProtected: true));
        lua.SetFunction(table, "error_reply", ErrorReply);
        lua.SetFunction(table, "status_reply", StatusReply);
        lua.SetFunction(table, "sha1hex", Sha1Hex);
        lua.SetFunction(table, "log", Log);
        lua.SetFunction(table, "setresp", SetResp);
        lua.SetFunction(table, "set_repl", SetRecording);
        lua.SetFunction(table, "acl_check_cmd", CheckCommand);
        SetConstants(table);
        if (!isForFunctions)
            SetOfScripts(table);
        lua.Globals.Set("redis", LuaValue.From(table));
        lua.Globals.Set("server", LuaValue.From(table));
    }

    /// <summary>Sets the constants that libraries find, too, while they are loaded.</summary>
    public static void SetVersionAndLevels(LuaTable table, string redisVersion)
    {
        table.Set("LOG_DEBUG", (double)LogLevel.Debug);
        table.Set("LOG_VERBOSE", (double)LogLevel.Verbose);
        table.Set("LOG_NOTICE", (double)LogLevel.Notice);
        table.Set("LOG_WARNING", (double)LogLevel.Warning);
        Version version = Version.Parse(redisVersion);
        table.Set("REDIS_VERSION", LuaValue.FromString(version.ToString(3)));
        table.Set("REDIS_VERSION_NUM",
            (double)((version.Major << 16) | (version.Minor << 8) | version.Build));
    }

    /// <summary>An error as a table.</summary>
    public static LuaValue ErrorTable(
        LuaMachine lua, ScriptNames names, ReadOnlySpan<byte> text, bool isCounted)
    {
        LuaTable table = lua.NewTable(0, 2);
        table.Set(names.Err, lua.NewString(text));
        if (isCounted)
            table.Set(names.IsCounted, LuaValue.True);
        return LuaValue.From(table);
    }

    private void SetOfScripts(LuaTable table)
    {
        lua.SetFunction(table, "replicate_commands", static call => call.Return(LuaValue.True));
        lua.SetFunction(table, "breakpoint", Breakpoint);
        lua.SetFunction(table, "debug", ShowValues);
    }

    private void SetConstants(LuaTable table)
    {
        SetVersionAndLevels(table, surroundings.RedisVersion);
        table.Set("REPL_NONE", (double)JournalAudience.None);
        table.Set("REPL_AOF", (double)JournalAudience.File);
        table.Set("REPL_SLAVE", (double)JournalAudience.Replicas);
        table.Set("REPL_REPLICA", (double)JournalAudience.Replicas);
        table.Set("REPL_ALL", (double)JournalAudience.All);
    }

    private int Call(LuaCall call, bool isProtected)
    {
        run.Debugger?.ShowCall(call);
        ReadOnlySpan<byte> reply = run.Command.Call(call);
        if (run.Debugger is { } debugger)
            Show(debugger, reply);
        call.Step(run.Command.StepCount);
        LuaValue value = reply.IsEmpty
            ? ErrorTable(lua, names, run.Command.Refusal, isCounted: true)
            : new ReplyToLua(lua, names, reply).Read();
        if (!isProtected && (reply.IsEmpty || reply[0] == '-'))
            throw new LuaException(value);
        return call.Return(value);
    }

    private void Show(ScriptDebugger debugger, ReadOnlySpan<byte> reply)
    {
        if (reply.IsEmpty)
            debugger.ShowError(run.Command.Refusal);
        else
            debugger.ShowReply(reply);
    }

    // Without a debugger there is nothing to stop in, and nowhere to print.
    private int Breakpoint(LuaCall call)
    {
        run.Debugger?.StopAtNextLine();
        return call.Return(LuaValue.FromBoolean(run.Debugger is not null));
    }

    private int ShowValues(LuaCall call)
    {
        run.Debugger?.ShowValues(call);
        return call.Return();
    }

    private LuaException Error(ReadOnlySpan<byte> text) => new(NewError(text));

    private LuaValue NewError(ReadOnlySpan<byte> text)
    {
        run.Debugger?.ShowError(text);
        return ErrorTable(lua, names, text, isCounted: false);
    }

    private int ErrorReply(LuaCall call)
    {
        if (call.Count != 1 || !call[0].IsString)
            return call.Return(NewError("ERR wrong number or type of arguments"u8));
        ReadOnlySpan<byte> text = call[0].String.Bytes;
        if (text.StartsWith("-"u8))
            text = text[1..];
        run.Debugger?.ShowGivenError(text);
        // The first of several words is the code.
        bool hasCode = text.Contains((byte)' ');
        return call.Return(
            ErrorTable(lua, names, hasCode ? text : [.. "ERR "u8, .. text], isCounted: false));
    }

    private int StatusReply(LuaCall call)
    {
        if (call.Count != 1 || !call[0].IsString)
            return call.Return(NewError("ERR wrong number or type of arguments"u8));
        LuaTable table = call.NewTable(0, 1);
        table.Set(names.Ok, call[0]);
        return call.Return(LuaValue.From(table));
    }

    private int Sha1Hex(LuaCall call)
    {
        if (call.Count != 1)
            throw Error("ERR wrong number of arguments"u8);
        ReadOnlySpan<byte> text = call[0].TryToText(out LuaString given) ? given.Bytes : default;
        call.Step(text.Length >> 6);
        return call.Return(LuaValue.FromString(ScriptDigest.Of(text).ToString()));
    }

    private (LogLevel Level, string Line) ReadLog(LuaCall call)
    {
        try
        {
            return ScriptLog.Read(call, names);
        }
        catch (LuaException mistake) when (run.Debugger is not null)
        {
            run.Debugger.ShowError(mistake.Value.Table.Get(names.Err).String.Bytes);
            throw;
        }
    }

    private int Log(LuaCall call)
    {
        (LogLevel level, string line) = ReadLog(call);
        if (!surroundings.Server.Log.IsEnabled(level))
            return call.Return();
        // The log of a script that is only tried is what its author wants to see.
        if (run.IsTrial)
            surroundings.Server.Log.Write(level, line);
        else
            run.Show(() => surroundings.Server.Log.Write(level, line), line.Length);
        return call.Return();
    }

    private int SetResp(LuaCall call)
    {
        if (call.Count != 1)
            throw Error("ERR redis.setresp() requires one argument."u8);
        double version = call[0].TryToNumber(out double given) ? given : 0;
        if (version is not (2 or 3))
            throw Error("ERR RESP version must be 2 or 3."u8);
        run.IsResp3 = version == 3;
        return call.Return();
    }

    private int SetRecording(LuaCall call)
    {
        if (call.Count != 1)
            throw Error("ERR redis.set_repl() requires two arguments."u8);
        double flags = call[0].TryToNumber(out double given) ? Math.Truncate(given) : 0;
        if (flags is not (>= (double)JournalAudience.None and <= (double)JournalAudience.All))
        {
            throw Error("ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or "u8
                + "REPL_NONE."u8);
        }

        run.Audience = (JournalAudience)(int)flags;
        return call.Return();
    }

    private int CheckCommand(LuaCall call)
    {
        if (call.Count == 0)
            throw Error("ERR Please specify at least one argument for this redis lib call"u8);
        if (run.Command.IsAllowed(call) is not { } isAllowed)
            throw Error("ERR Invalid command passed to redis.acl_check_cmd()"u8);
        return call.Return(isAllowed ? LuaValue.True : LuaValue.False);
    }
}
