namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>Reads the text of a pattern (without its anchor) into nodes.</summary>
internal ref struct PatternCompiler
{
    private readonly ReadOnlySpan<byte> _text;
    private readonly List<PatternNode> _nodes;
    private readonly List<ulong> _sets;
    private int _at;

    private PatternCompiler(ReadOnlySpan<byte> text)
    {
        _text = text;
        _nodes = new List<PatternNode>(text.Length + 1);
        _sets = [];
    }

    /// <summary>Compiles a pattern.</summary>
    /// <param name="text">The text, cut at its first zero byte.</param>
    /// <param name="isAnchored">Whether the first byte is an anchor.</param>
    internal static Pattern Compile(ReadOnlySpan<byte> text, bool isAnchored)
    {
        Debug.Assert(!text.Contains((byte)0), "A pattern ends at its first zero byte.");
        Debug.Assert(!isAnchored || text[0] == '^', "The anchor stands in front.");
        if (isAnchored) text = text[1..];
        var compiler = new PatternCompiler(text);
        while (compiler._at < text.Length && compiler.ReadItem())
        {
        }
        if (compiler._at >= 0) compiler.Add(PatternOperation.End);
        return new Pattern([.. compiler._nodes], [.. compiler._sets], isAnchored);
    }

    private byte Peek(int offset) => _at + offset < _text.Length ? _text[_at + offset] : (byte)0;

    private readonly void Add(PatternOperation operation, byte first = 0, byte second = 0, int index = 0) =>
        _nodes.Add(new PatternNode(operation, PatternRepeat.Once, first, second, index));

    // False when the rest cannot be read: a node that says so has been added.
    private bool ReadItem()
    {
        switch (_text[_at])
        {
            case (byte)'(':
                bool position = Peek(1) == ')';
                Add(position ? PatternOperation.Position : PatternOperation.Open);
                _at += position ? 2 : 1;
                return true;
            case (byte)')':
                Add(PatternOperation.Close);
                _at++;
                return true;
            case (byte)'$' when _at + 1 == _text.Length:
                Add(PatternOperation.SubjectEnd);
                _at++;
                return true;
            case (byte)'%' when Peek(1) == 'b':
                return ReadBalance();
            case (byte)'%' when Peek(1) == 'f':
                return ReadFrontier();
            case (byte)'%' when Peek(1) is >= (byte)'0' and <= (byte)'9':
                Add(PatternOperation.Back, Peek(1));
                _at += 2;
                return true;
            default:
                return ReadSingle();
        }
    }

    private bool Malformed(PatternMistake mistake)
    {
        Add(PatternOperation.Malformed, (byte)mistake);
        _at = -1;
        return false;
    }

    private bool ReadBalance()
    {
        if (Peek(2) == 0 || Peek(3) == 0) return Malformed(PatternMistake.Unbalanced);
        Add(PatternOperation.Balance, Peek(2), Peek(3));
        _at += 4;
        return true;
    }

    private bool ReadFrontier()
    {
        _at += 2;
        if (Peek(0) != '[') return Malformed(PatternMistake.FrontierWithoutSet);
        int end = SetEnd(_at);
        if (end < 0) return Malformed(PatternMistake.MissingBracket);
        Add(PatternOperation.Frontier, index: AddSet(_at, end - 1));
        _at = end;
        return true;
    }

    private bool ReadSingle()
    {
        byte letter = _text[_at];
        PatternNode node;
        int end = _at + 1;
        if (letter == '%')
        {
            if (end == _text.Length) return Malformed(PatternMistake.EndsWithEscape);
            byte name = _text[end++];
            node = PatternClasses.IsClass(name)
                ? new PatternNode(PatternOperation.Set, PatternRepeat.Once, 0, 0, AddClass(name))
                : new PatternNode(PatternOperation.Byte, PatternRepeat.Once, name, 0, 0);
        }
        else if (letter == '[')
        {
            end = SetEnd(_at);
            if (end < 0) return Malformed(PatternMistake.MissingBracket);
            node = new PatternNode(PatternOperation.Set, PatternRepeat.Once, 0, 0, AddSet(_at, end - 1));
        }
        else
        {
            node = new PatternNode(letter == '.' ? PatternOperation.Any : PatternOperation.Byte,
                PatternRepeat.Once, letter, 0, 0);
        }
        _at = end;
        PatternRepeat repeat = Peek(0) switch
        {
            (byte)'?' => PatternRepeat.Optional,
            (byte)'*' => PatternRepeat.Any,
            (byte)'+' => PatternRepeat.Some,
            (byte)'-' => PatternRepeat.Least,
            _ => PatternRepeat.Once,
        };
        if (repeat != PatternRepeat.Once) _at++;
        _nodes.Add(node with { Repeat = repeat });
        return true;
    }

    // The place behind the bracket that closes the set at a place, -1 when there is none. The first byte of
    // a set may be a closing bracket.
    private readonly int SetEnd(int at)
    {
        at++;
        if (at < _text.Length && _text[at] == '^') at++;
        do
        {
            if (at >= _text.Length) return -1;
            if (_text[at++] == '%' && at < _text.Length) at++;
        }
        while (at >= _text.Length || _text[at] != ']');
        return at + 1;
    }

    private readonly int AddClass(byte name)
    {
        int index = NewSet();
        Span<ulong> set = CollectionsMarshal.AsSpan(_sets).Slice(index, Pattern.SetWords);
        PatternClasses.AddClass(name, set);
        return index;
    }

    private readonly int NewSet()
    {
        int index = _sets.Count;
        for (int i = 0; i < Pattern.SetWords; i++) _sets.Add(0);
        return index;
    }

    // at: the opening bracket; end: the closing one.
    private readonly int AddSet(int at, int end)
    {
        int index = NewSet();
        Span<ulong> set = CollectionsMarshal.AsSpan(_sets).Slice(index, Pattern.SetWords);
        bool negated = _text[at + 1] == '^';
        if (negated) at++;
        while (++at < end)
        {
            byte letter = _text[at];
            if (letter == '%')
            {
                at++;
                PatternClasses.AddClass(_text[at], set);
            }
            else if (_text[at + 1] == '-' && at + 2 < end)
            {
                for (int member = letter; member <= _text[at + 2]; member++)
                    PatternClasses.Add((byte)member, set);
                at += 2;
            }
            else
            {
                PatternClasses.Add(letter, set);
            }
        }
        if (negated)
            foreach (ref ulong word in set) word = ~word;
        return index;
    }
}
