using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripts;

/// <summary>The text of an error of Lua.</summary>
internal static class LuaErrorText
{
    /// <summary>An error that is a text, or a table that has one as a reply has.</summary>
    public static string Of(LuaValue error)
    {
        if (error.IsTable)
            error = error.Table.Get(LuaString.From("err"));
        return error.TryToText(out LuaString text)
            ? Encoding.Latin1.GetString(text.Bytes) : $"({error.TypeName})";
    }
}
