using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Strings;

/// <summary><c>string.gsub</c>.</summary>
internal sealed class StringReplace(PatternCache patterns)
{
    /// <summary><c>string.gsub(s, pattern, replacement, n)</c></summary>
    internal int GSub(LuaCall call)
    {
        LuaString subject = call.CheckString(0);
        LuaString text = call.CheckString(1);
        LuaValue replacement = call[2];
        if (!(replacement.IsNumber || replacement.IsString || replacement.IsTable || replacement.IsFunction))
            throw call.ArgumentError(2, "string/function/table expected");
        int countMax = call.OptInt(3, subject.Length + 1);
        if (replacement.IsNumber) replacement = LuaValue.From(call.CheckString(2));
        bool isAnchored = text.Length > 0 && text.Bytes[0] == '^';
        Pattern pattern = patterns.Get(call, text, isAnchored);
        Span<int> captures = stackalloc int[PatternMatcher.CaptureRoom];
        var matcher = new PatternMatcher(call, subject.Bytes, pattern, captures);
        scoped TextBuilder builder = new(call);
        int count = Replace(call, ref matcher, ref builder, new Job(subject, pattern, replacement, countMax));
        LuaValue result = count == 0 ? LuaValue.From(subject) : builder.End();
        if (count == 0) builder.Dispose();
        return call.Return(result, (double)count);
    }

    private static int Replace(LuaCall call, ref PatternMatcher matcher, ref TextBuilder builder, in Job job)
    {
        ReadOnlySpan<byte> subject = job.Subject.Bytes;
        int place = 0, copied = 0, count = 0;
        while (count < job.CountMax)
        {
            int start = job.Pattern.IsAnchored ? place : StringSearch.NextStart(job.Pattern, subject, place);
            if (start < 0) break;
            place = start;
            int end = matcher.Match(place);
            if (end >= 0)
            {
                count++;
                builder.Append(subject[copied..place]);
                AppendReplacement(call, ref matcher, ref builder, job.Replacement, new Range(place, end));
                copied = end;
            }
            if (end > place) place = end;
            else if (place < subject.Length) place++;
            else break;
            if (job.Pattern.IsAnchored) break;
        }
        builder.Append(subject[copied..]);
        return count;
    }

    private static void AppendReplacement(
        LuaCall call, ref PatternMatcher matcher, ref TextBuilder builder, LuaValue replacement, Range match)
    {
        int start = match.Start.Value, end = match.End.Value;
        LuaValue value;
        if (replacement.IsString)
        {
            AppendTemplate(ref matcher, ref builder, replacement.String.Bytes, match);
            return;
        }
        if (replacement.IsTable)
        {
            value = call.Index(replacement, matcher.Capture(0, start, end));
        }
        else if (matcher.ValueCount == 1)
        {
            value = call.Invoke(replacement, matcher.Capture(0, start, end));
        }
        else
        {
            var arguments = new LuaValue[matcher.ValueCount];
            for (int i = 0; i < arguments.Length; i++) arguments[i] = matcher.Capture(i, start, end);
            value = call.Invoke(replacement, arguments);
        }
        if (!value.IsTruthy) builder.Append(matcher.Text(start, end));
        else if (value.IsString) builder.Append(value.String.Bytes);
        else if (value.IsNumber) builder.AppendNumber(value.Number);
        else throw call.Error($"invalid replacement value (a {value.TypeName})");
    }

    private static void AppendTemplate(
        ref PatternMatcher matcher, ref TextBuilder builder, ReadOnlySpan<byte> template, Range match)
    {
        while (true)
        {
            int escape = template.IndexOf((byte)'%');
            if (escape < 0) break;
            builder.Append(template[..escape]);
            // As in C a template that ends with the escape has a zero byte behind it.
            byte letter = escape + 1 < template.Length ? template[escape + 1] : (byte)0;
            template = template[Math.Min(template.Length, escape + 2)..];
            if (letter == '0') builder.Append(matcher.Text(match.Start.Value, match.End.Value));
            else if (!char.IsAsciiDigit((char)letter)) builder.Append(letter);
            else matcher.AppendCapture(letter - '1', match.Start.Value, match.End.Value, ref builder);
        }
        builder.Append(template);
    }

    private readonly record struct Job(LuaString Subject, Pattern Pattern, LuaValue Replacement,
        int CountMax);
}
