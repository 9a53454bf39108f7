using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>Matches a pattern at places of a subject.</summary>
/// <remarks>
/// The items of a pattern stand in a row, so a match is a walk along them that sometimes returns. Each choice
/// that can be taken otherwise pushes a frame, and a failure returns to the last one:
/// <code>
///   frame    node      low            place
///   X*  X+   its node  fewest bytes   how far it went: gives bytes back
///   X-       its node                 how far it went: takes one byte more
///   X?       its node                 where it began: goes on without
///   (        its node                 the capture disappears
///   )        its node  the capture    the capture is open again
/// </code>
/// So there is no recursion, and never more frames than nodes. The time can be a power of the subject's
/// length, as in Lua; <see cref="LuaCall.Step"/> hears of it, so a script is interrupted inside a pattern
/// too.
/// </remarks>
internal ref struct PatternMatcher
{
    /// <summary>The most captures of a pattern.</summary>
    internal const int CapturesMax = 32;

    /// <summary>Integers that the captures need.</summary>
    internal const int CaptureRoom = 2 * CapturesMax;

    private const int Open = -1;
    private const int Position = -2;
    private const int StepEvery = 256;

    private readonly LuaCall _call;
    private readonly ReadOnlySpan<byte> _subject;
    private readonly ReadOnlySpan<PatternNode> _nodes;
    private readonly ReadOnlySpan<ulong> _sets;

    // For each capture where it begins, and its length, or Open or Position.
    private readonly Span<int> _captures;
    private PatternFrames _frames;
    private int _work;

    internal PatternMatcher(LuaCall call, ReadOnlySpan<byte> subject, Pattern pattern, Span<int> captures)
    {
        Debug.Assert(captures.Length == CaptureRoom, "Two integers for each capture.");
        _call = call;
        _subject = subject;
        _nodes = pattern.Nodes;
        _sets = pattern.Sets;
        _captures = captures;
        _frames = new PatternFrames(call);
    }

    /// <summary>How many captures the match has.</summary>
    internal int Level { get; private set; }

    /// <summary>Matches at one place: the end of the match, or -1.</summary>
    internal int Match(int start)
    {
        Debug.Assert(start >= 0 && start <= _subject.Length, "A match begins inside the subject.");
        Level = 0;
        _frames.Clear();
        int node = 0, place = start;
        Count(1);
        while (true)
        {
            PatternNode item = _nodes[node];
            bool matched = item.Repeat == PatternRepeat.Once
                ? MatchOne(item, node, ref place)
                : MatchRepeated(item, node, ref place);
            if (matched)
            {
                if (item.Operation == PatternOperation.End) return place;
                node++;
            }
            else if (!Return(out node, out place))
            {
                return -1;
            }
        }
    }

    private void Count(int work)
    {
        _work += work;
        if (_work < StepEvery) return;
        _call.Step(_work);
        _work = 0;
    }

    private readonly bool MatchesByte(PatternNode item, int place)
    {
        if ((uint)place >= (uint)_subject.Length) return false;
        byte letter = _subject[place];
        return item.Operation switch
        {
            PatternOperation.Byte => letter == item.First,
            PatternOperation.Any => true,
            _ => InSet(item.Index, letter),
        };
    }

    private readonly bool InSet(int set, byte letter) =>
        (_sets[set + (letter >> 6)] >> (letter & 63) & 1) != 0;

    private bool MatchOne(PatternNode item, int node, ref int place)
    {
        switch (item.Operation)
        {
            case PatternOperation.Byte or PatternOperation.Any or PatternOperation.Set:
                if (!MatchesByte(item, place)) return false;
                place++;
                return true;
            case PatternOperation.End:
                return true;
            case PatternOperation.SubjectEnd:
                return place == _subject.Length;
            case PatternOperation.Open:
                OpenCapture(node, place, Open);
                return true;
            case PatternOperation.Position:
                OpenCapture(node, place, Position);
                return true;
            case PatternOperation.Close:
                CloseCapture(node, place);
                return true;
            case PatternOperation.Back:
                return MatchBack(item.First, ref place);
            case PatternOperation.Balance:
                return MatchBalance(item, ref place);
            case PatternOperation.Frontier:
                byte before = place == 0 ? (byte)0 : _subject[place - 1];
                byte after = place == _subject.Length ? (byte)0 : _subject[place];
                return !InSet(item.Index, before) && InSet(item.Index, after);
            default:
                throw _call.Error(MistakeText((PatternMistake)item.First));
        }
    }

    private bool MatchRepeated(PatternNode item, int node, ref int place)
    {
        switch (item.Repeat)
        {
            case PatternRepeat.Optional:
                if (!MatchesByte(item, place)) return true;
                _frames.Push(node, 0, place);
                place++;
                return true;
            case PatternRepeat.Least:
                _frames.Push(node, 0, place);
                return true;
            default:
                int low = item.Repeat == PatternRepeat.Some ? place + 1 : place;
                int high = place + Expand(item, place);
                if (high < low) return false;
                if (high > low) _frames.Push(node, low, high);
                place = high;
                return true;
        }
    }

    // How many bytes from a place on match an item.
    private int Expand(PatternNode item, int place)
    {
        ReadOnlySpan<byte> rest = _subject[place..];
        int count;
        switch (item.Operation)
        {
            case PatternOperation.Any:
                return rest.Length;
            case PatternOperation.Byte:
                count = rest.IndexOfAnyExcept(item.First);
                if (count < 0) count = rest.Length;
                Count(count >> 5);
                return count;
            default:
                ReadOnlySpan<ulong> set = _sets.Slice(item.Index, Pattern.SetWords);
                count = 0;
                while (count < rest.Length && (set[rest[count] >> 6] >> (rest[count] & 63) & 1) != 0) count++;
                Count(count >> 3);
                return count;
        }
    }

    // Takes the last choice otherwise; false when none is left.
    private bool Return(out int node, out int place)
    {
        Count(1);
        while (!_frames.IsEmpty)
        {
            ref PatternFrame frame = ref _frames.Top;
            PatternNode item = _nodes[frame.Node];
            node = frame.Node + 1;
            switch (item.Operation)
            {
                case PatternOperation.Open or PatternOperation.Position:
                    Level--;
                    break;
                case PatternOperation.Close:
                    _captures[2 * frame.Low + 1] = Open;
                    break;
                case var _ when item.Repeat == PatternRepeat.Optional:
                    place = frame.Place;
                    _frames.Pop();
                    return true;
                case var _ when item.Repeat == PatternRepeat.Least:
                    if (!MatchesByte(item, frame.Place)) break;
                    place = ++frame.Place;
                    return true;
                default:
                    place = PlaceBefore(frame.Place, frame.Low, node);
                    if (place < frame.Low) break;
                    frame.Place = place;
                    if (place == frame.Low) _frames.Pop();
                    return true;
            }
            _frames.Pop();
        }
        node = place = 0;
        return false;
    }

    // Where a row of bytes ends that gives some back: one earlier, or where the byte is that the pattern has
    // next. Before the least place: nowhere.
    private int PlaceBefore(int place, int low, int nextNode)
    {
        PatternNode next = _nodes[nextNode];
        if (next.Operation == PatternOperation.Close) next = _nodes[nextNode + 1];
        if (next.Operation != PatternOperation.Byte || next.Repeat != PatternRepeat.Once) return place - 1;
        int found = low + _subject[low..place].LastIndexOf(next.First);
        Count((place - found) >> 5);
        return found;
    }

    private void OpenCapture(int node, int place, int kind)
    {
        if (Level >= CapturesMax) throw _call.Error("too many captures");
        _captures[2 * Level] = place;
        _captures[2 * Level + 1] = kind;
        Level++;
        _frames.Push(node, 0, 0);
    }

    private void CloseCapture(int node, int place)
    {
        int capture = Level - 1;
        while (capture >= 0 && _captures[2 * capture + 1] != Open) capture--;
        if (capture < 0) throw _call.Error("invalid pattern capture");
        _captures[2 * capture + 1] = place - _captures[2 * capture];
        _frames.Push(node, capture, 0);
    }

    private readonly bool MatchBack(byte digit, ref int place)
    {
        int capture = digit - '1';
        if (capture < 0 || capture >= Level || _captures[2 * capture + 1] == Open)
            throw _call.Error("invalid capture index");
        int length = _captures[2 * capture + 1];
        // A position is no text: it never matches.
        if (length == Position || _subject.Length - place < length) return false;
        ReadOnlySpan<byte> text = _subject.Slice(_captures[2 * capture], length);
        if (!_subject.Slice(place, length).SequenceEqual(text)) return false;
        place += length;
        return true;
    }

    private bool MatchBalance(PatternNode item, ref int place)
    {
        if (place >= _subject.Length || _subject[place] != item.First) return false;
        int open = 1;
        for (int i = place + 1; i < _subject.Length; i++)
        {
            byte letter = _subject[i];
            if (letter == item.Second)
            {
                if (--open != 0) continue;
                Count((i - place) >> 2);
                place = i + 1;
                return true;
            }
            if (letter == item.First) open++;
        }
        Count((_subject.Length - place) >> 2);
        return false;
    }

    /// <summary>A capture of the match, or the whole match where the pattern has none and the first is
    /// asked for.</summary>
    internal readonly LuaValue Capture(int index, int start, int end)
    {
        if (index >= Level)
        {
            if (index != 0) throw _call.Error("invalid capture index");
            return _call.NewString(_subject[start..end]);
        }
        int length = _captures[2 * index + 1];
        if (length == Open) throw _call.Error("unfinished capture");
        int begin = _captures[2 * index];
        return length == Position ? begin + 1 : _call.NewString(_subject.Slice(begin, length));
    }

    /// <summary>A part of the subject.</summary>
    internal readonly ReadOnlySpan<byte> Text(int start, int end) => _subject[start..end];

    /// <summary>Appends a capture to a text; a position as a number.</summary>
    internal readonly void AppendCapture(int index, int start, int end, ref TextBuilder builder)
    {
        int length = index < Level ? _captures[2 * index + 1] : 0;
        if (length > 0) builder.Append(_subject.Slice(_captures[2 * index], length));
        else if (index == 0 && Level == 0) builder.Append(_subject[start..end]);
        else if (Capture(index, start,
            end) is { IsNumber: true } position) builder.AppendNumber(position.Number);
    }

    /// <summary>How many values a match gives.</summary>
    internal readonly int ValueCount => Math.Max(1, Level);

    private static string MistakeText(PatternMistake mistake) => mistake switch
    {
        PatternMistake.EndsWithEscape => "malformed pattern (ends with '%')",
        PatternMistake.MissingBracket => "malformed pattern (missing ']')",
        PatternMistake.Unbalanced => "unbalanced pattern",
        _ => "missing '[' after '%f' in pattern",
    };
}
