namespace Cinnabar.Lua.Values;

/// <summary>One object for equal short strings of many sources: most names and constants of a server's
/// scripts are the same. A table of fixed size keeps the last string of each place, so it neither grows nor
/// takes a lock. Any thread.</summary>
public sealed class LuaStringPool
{
    /// <summary>The longest strings that are shared.</summary>
    internal const int LengthMax = 40;

    // A power of two.
    private const int PlaceCount = 2048;

    private readonly LuaString?[] _places = new LuaString?[PlaceCount];

    /// <summary>The object for a string: another one that is equal, or this.</summary>
    public LuaString Share(LuaString text)
    {
        if (text.Length > LengthMax) return text;
        ref LuaString? place = ref _places[text.Hash & (PlaceCount - 1)];
        // ORDER: a string does not change once it is here; of two threads that write, either may win.
        if (Volatile.Read(ref place) is { } known && known.Equals(text)) return known;
        Volatile.Write(ref place, text);
        return text;
    }
}
