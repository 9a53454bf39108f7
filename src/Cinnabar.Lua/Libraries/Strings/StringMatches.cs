using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>The matches of a pattern one after another: what <c>string.gmatch</c> gives.</summary>
internal sealed class StringMatches(LuaString subject, Pattern pattern)
{
    /// <summary>Bytes of memory that one needs.</summary>
    internal const int Size = 192;

    private int _place;

    /// <summary>The next match's captures, or nothing.</summary>
    internal int Next(LuaCall call)
    {
        Span<int> captures = stackalloc int[PatternMatcher.CaptureRoom];
        var matcher = new PatternMatcher(call, subject.Bytes, pattern, captures);
        for (int place = _place; place <= subject.Length; place++)
        {
            place = StringSearch.NextStart(pattern, subject.Bytes, place);
            if (place < 0) break;
            int end = matcher.Match(place);
            if (end < 0) continue;
            _place = end == place ? end + 1 : end;
            return StringSearch.ReturnCaptures(call, in matcher, place, end);
        }
        return call.Return();
    }
}
