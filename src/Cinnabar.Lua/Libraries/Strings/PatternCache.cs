using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>The patterns that a machine's scripts used last, compiled. A script uses few patterns many times;
/// one that makes its patterns as it goes pays for compiling each. Long ones are not kept, so the cache is
/// small.</summary>
internal sealed class PatternCache
{
    private const int Size = 32;
    private const int LengthMax = 256;

    private readonly (LuaString? Text, Pattern? Pattern)[] _kept = new (LuaString?, Pattern?)[Size];

    /// <summary>The compiled form of a pattern.</summary>
    /// <param name="call">Pays for the compiling.</param>
    /// <param name="text">The pattern.</param>
    /// <param name="isAnchored">Whether its first byte is an anchor, which is not compiled.</param>
    internal Pattern Get(LuaCall call, LuaString text, bool isAnchored)
    {
        // gmatch knows no anchor: it has the same text for another pattern.
        int place = (text.GetHashCode() ^ (isAnchored ? 1 : 0)) & (Size - 1);
        ref (LuaString? Text, Pattern? Pattern) kept = ref _kept[place];
        if (kept.Text is not null && kept.Pattern!.IsAnchored == isAnchored && kept.Text.Equals(text))
            return kept.Pattern;
        ReadOnlySpan<byte> bytes = text.Bytes;
        int end = bytes.IndexOf((byte)0);
        if (end >= 0) bytes = bytes[..end];
        call.Charge((long)bytes.Length * Pattern.BytesPerByte);
        call.Step(bytes.Length >> 2);
        Pattern pattern = PatternCompiler.Compile(bytes, isAnchored);
        if (text.Length <= LengthMax) kept = (text, pattern);
        return pattern;
    }
}
