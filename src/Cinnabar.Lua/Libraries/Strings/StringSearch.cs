using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Strings;

/// <summary><c>string.find</c>, <c>string.match</c> and <c>string.gmatch</c>.</summary>
internal sealed class StringSearch(PatternCache patterns)
{
    /// <summary><c>string.find(s, pattern, init, plain)</c></summary>
    internal int Find(LuaCall call) => Search(call, isFind: true);

    /// <summary><c>string.match(s, pattern, init)</c></summary>
    internal int Match(LuaCall call) => Search(call, isFind: false);

    /// <summary><c>string.gmatch(s, pattern)</c></summary>
    internal int GMatch(LuaCall call)
    {
        LuaString subject = call.CheckString(0);
        LuaString text = call.CheckString(1);
        call.Charge(StringMatches.Size);
        var matches = new StringMatches(subject, patterns.Get(call, text, isAnchored: false));
        return call.Return(LuaValue.From(new HostFunction("gmatch", matches.Next)));
    }

    /// <summary>The first place, from one on, where a match can begin; -1 when there is none.</summary>
    internal static int NextStart(Pattern pattern, ReadOnlySpan<byte> subject, int place)
    {
        if (!pattern.BeginsWithByte) return place;
        int skip = subject[place..].IndexOf(pattern.Nodes[0].First);
        return skip < 0 ? -1 : place + skip;
    }

    private static bool IsPlain(ReadOnlySpan<byte> pattern)
    {
        // As C's strpbrk: what follows a zero byte is not looked at.
        int special = pattern.IndexOfAny("^$*+?.([%-\0"u8);
        return special < 0 || pattern[special] == 0;
    }

    private int Search(LuaCall call, bool isFind)
    {
        LuaString subject = call.CheckString(0);
        LuaString text = call.CheckString(1);
        long init = StringLibrary.PlaceOf(call.OptInteger(2, 1), subject.Length) - 1;
        int start = (int)Math.Clamp(init, 0, subject.Length);
        if (isFind && (call[3].IsTruthy || IsPlain(text.Bytes)))
            return FindPlain(call, subject.Bytes, text.Bytes, start);
        bool isAnchored = text.Length > 0 && text.Bytes[0] == '^';
        Pattern pattern = patterns.Get(call, text, isAnchored);
        Span<int> captures = stackalloc int[PatternMatcher.CaptureRoom];
        var matcher = new PatternMatcher(call, subject.Bytes, pattern, captures);
        for (int place = start; place <= subject.Length; place++)
        {
            if (!isAnchored && (place = NextStart(pattern, subject.Bytes, place)) < 0) break;
            int end = matcher.Match(place);
            if (end >= 0)
                return isFind ? ReturnFound(call, in matcher, place, end)
                    : ReturnCaptures(call, in matcher, place, end);
            if (isAnchored) break;
        }
        return call.Return(LuaValue.Nil);
    }

    private static int FindPlain(LuaCall call, ReadOnlySpan<byte> subject, ReadOnlySpan<byte> text, int start)
    {
        call.Step((subject.Length - start) >> 8);
        int at = subject[start..].IndexOf(text);
        if (at < 0) return call.Return(LuaValue.Nil);
        return call.Return((double)(start + at + 1), (double)(start + at + text.Length));
    }

    private static int ReturnFound(LuaCall call, in PatternMatcher matcher, int start, int end)
    {
        if (matcher.Level == 0) return call.Return((double)(start + 1), (double)end);
        var values = new LuaValue[matcher.Level + 2];
        values[0] = (double)(start + 1);
        values[1] = (double)end;
        for (int i = 0; i < matcher.Level; i++) values[i + 2] = matcher.Capture(i, start, end);
        return call.Return(values);
    }

    /// <summary>Returns the captures of a match, or the match where it has none.</summary>
    internal static int ReturnCaptures(LuaCall call, in PatternMatcher matcher, int start, int end)
    {
        if (matcher.ValueCount == 1) return call.Return(matcher.Capture(0, start, end));
        if (matcher.ValueCount == 2)
            return call.Return(matcher.Capture(0, start, end), matcher.Capture(1, start, end));
        var values = new LuaValue[matcher.ValueCount];
        for (int i = 0; i < values.Length; i++) values[i] = matcher.Capture(i, start, end);
        return call.Return(values);
    }
}
