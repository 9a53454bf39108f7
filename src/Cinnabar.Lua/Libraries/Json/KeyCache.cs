using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Json;

/// <summary>The keys of objects that were read last: the records of a list have the same ones.</summary>
internal struct KeyCache
{
    private const int Size = 32;
    private const int LengthMax = 32;

    private LuaString?[]? _kept;

    /// <summary>The string of a key.</summary>
    internal LuaValue Get(LuaCall call, ReadOnlySpan<byte> text)
    {
        if (text.IsEmpty || text.Length > LengthMax) return call.NewString(text);
        _kept ??= new LuaString?[Size];
        int place = (text[0] * 31 + text[^1] * 7 + text[text.Length / 2] + text.Length) & (Size - 1);
        LuaString? kept = _kept[place];
        if (kept is not null && kept.Bytes.SequenceEqual(text)) return LuaValue.From(kept);
        LuaValue made = call.NewString(text);
        _kept[place] = made.String;
        return made;
    }
}
