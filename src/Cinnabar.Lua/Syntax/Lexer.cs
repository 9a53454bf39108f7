using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Syntax;

/// <summary>
/// Splits a source text into tokens, one ahead of the parser when it asks. Keeps the lines of the current
/// token and of the one before it, which errors and instructions are attributed to.
/// </summary>
internal sealed class Lexer
{
    private const int End = -1;
    private static readonly string[] s_words =
    [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil",
        "not", "or", "repeat", "return", "then", "true", "until", "while", "..", "...", "==", ">=", "<=",
        "~=", "<number>", "<name>", "<string>", "<eof>",
    ];

    private readonly byte[] _source;
    private readonly LuaString _chunk;
    private readonly LuaStringPool? _pool;
    private readonly Dictionary<LuaString, LuaString> _strings = [];
    private readonly Dictionary<LuaString, TokenKind> _reserved = [];
    private readonly ByteText _text = new();
    private int _next;
    private int _current;
    private Token? _ahead;

    /// <summary>A lexer at the start of a source.</summary>
    public Lexer(ReadOnlySpan<byte> source, LuaString chunk, LuaStringPool? pool)
    {
        _pool = pool;
        _source = source.ToArray();
        _chunk = chunk;
        for (TokenKind kind = TokenKind.And; kind <= TokenKind.While; kind++)
            _reserved.Add(LuaString.From(WordOf(kind)), kind);
        SkipChar();
    }

    /// <summary>The line of the character after the current token.</summary>
    public int Line { get; private set; } = 1;

    /// <summary>The line of the last token that was taken.</summary>
    public int LastLine { get; private set; } = 1;

    /// <summary>The current token.</summary>
    public Token Token { get; private set; }

    /// <summary>Goes to the next token.</summary>
    public void Next()
    {
        LastLine = Line;
        if (_ahead is { } token)
        {
            Token = token;
            _ahead = null;
            return;
        }

        Token = Read();
    }

    /// <summary>The kind of the token after the current one.</summary>
    public TokenKind LookAhead()
    {
        Debug.Assert(_ahead is null);
        _ahead = Read();
        return _ahead.Value.Kind;
    }

    /// <summary>An error at the current token.</summary>
    public LuaException SyntaxError(string message) => Error(message, Token.Kind);

    /// <summary>An error near a token; 0: near none.</summary>
    public LuaException Error(string message, TokenKind near)
    {
        string shown = ChunkName.Shown(_chunk, ChunkName.SizeInSyntaxErrors);
        using var text = new System.IO.MemoryStream();
        text.Write(Encoding.UTF8.GetBytes($"{shown}:{Line}: {message}"));
        if (near != 0)
        {
            text.Write(" near '"u8);
            text.Write(near is TokenKind.Name or TokenKind.String or TokenKind.Number
                ? Until(_text.Bytes, 0) : Encoding.UTF8.GetBytes(TextOf(near)));
            text.Write("'"u8);
        }

        return new LuaException(LuaValue.FromString(LuaString.Adopt(text.ToArray())));
    }

    /// <summary>A kind as messages show it.</summary>
    public static string TextOf(TokenKind kind) => kind >= TokenKind.And ? WordOf(kind)
        : (int)kind is < 32 or 127 ? $"char({(int)kind})" : ((char)kind).ToString();

    /// <summary>The one object for all equal names and strings of a source.</summary>
    public LuaString Unique(LuaString text)
    {
        if (_strings.TryGetValue(text, out LuaString? known)) return known;
        text = _pool?.Share(text) ?? text;
        _strings.Add(text, text);
        return text;
    }

    private static string WordOf(TokenKind kind) => s_words[kind - TokenKind.And];

    private static ReadOnlySpan<byte> Until(ReadOnlySpan<byte> bytes, byte end) =>
        bytes.IndexOf(end) is >= 0 and var index ? bytes[..index] : bytes;

    private void SkipChar() => _current = _next < _source.Length ? _source[_next++] : End;

    private void SaveChar()
    {
        _text.Add((byte)_current);
        SkipChar();
    }

    private bool TrySkip(char expected)
    {
        if (_current != expected) return false;
        SkipChar();
        return true;
    }

    private void SkipLineEnd()
    {
        int first = _current;
        SkipChar();
        if (_current is '\n' or '\r' && _current != first) SkipChar();
        Line++;
    }

    private Token Read()
    {
        _text.Clear();
        while (true)
            switch (_current)
            {
                case '\n' or '\r':
                    SkipLineEnd();
                    break;
                case '-':
                    SkipChar();
                    if (_current != '-') return new Token((TokenKind)'-');
                    SkipComment();
                    break;
                case '[':
                    int level = ReadBracket();
                    if (level >= 0) return ReadLongString(level);
                    if (level == -1) return new Token((TokenKind)'[');
                    throw Error("invalid long string delimiter", TokenKind.String);
                case '=':
                    return ReadTwo('=', TokenKind.Equal);
                case '<':
                    return ReadTwo('<', TokenKind.LessOrEqual);
                case '>':
                    return ReadTwo('>', TokenKind.GreaterOrEqual);
                case '~':
                    return ReadTwo('~', TokenKind.NotEqual);
                case '"' or '\'':
                    return ReadString(_current);
                case '.':
                    return ReadDots();
                case End:
                    return new Token(TokenKind.EndOfSource);
                default:
                    if (NumberText.IsBlank((byte)_current))
                    {
                        SkipChar();
                        break;
                    }

                    if (char.IsAsciiDigit((char)_current)) return ReadNumber();
                    if (char.IsAsciiLetter((char)_current) || _current == '_') return ReadName();
                    int single = _current;
                    SkipChar();
                    return new Token((TokenKind)single);
            }
    }

    private Token ReadTwo(char first, TokenKind both)
    {
        SkipChar();
        return TrySkip('=') ? new Token(both) : new Token((TokenKind)first);
    }

    private Token ReadDots()
    {
        SaveChar();
        if (_current == '.')
        {
            SkipChar();
            return TrySkip('.') ? new Token(TokenKind.Dots) : new Token(TokenKind.Concat);
        }

        return _current >= 0 && char.IsAsciiDigit((char)_current) ? ReadNumber() : new Token((TokenKind)'.');
    }

    private Token ReadName()
    {
        do SaveChar();
        while (_current >= 0 && (char.IsAsciiLetterOrDigit((char)_current) || _current == '_'));
        LuaString name = Unique(LuaString.From(_text.Bytes));
        return _reserved.TryGetValue(name, out TokenKind kind) ? new Token(kind)
            : new Token(TokenKind.Name, 0, name);
    }

    private Token ReadNumber()
    {
        while (_current >= 0 && (char.IsAsciiDigit((char)_current) || _current == '.')) SaveChar();
        if (_current is 'E' or 'e')
        {
            SaveChar();
            if (_current is '+' or '-') SaveChar();
        }

        while (_current >= 0 && (char.IsAsciiLetterOrDigit((char)_current) || _current == '_')) SaveChar();
        if (!NumberText.TryParse(_text.Bytes, out double number))
            throw Error("malformed number", TokenKind.Number);
        return new Token(TokenKind.Number, number);
    }

    private void SkipComment()
    {
        SkipChar();
        if (_current == '[')
        {
            int level = ReadBracket();
            _text.Clear();
            if (level >= 0)
            {
                ReadLong(level, "unfinished long comment");
                _text.Clear();
                return;
            }
        }

        while (_current is not ('\n' or '\r' or End)) SkipChar();
    }

    // The number of equals signs in "[==[" or "]==]", of which the last bracket is left; -1: a single
    // bracket; below: equals signs without a second bracket.
    private int ReadBracket()
    {
        int bracket = _current;
        SaveChar();
        int count = 0;
        while (_current == '=')
        {
            SaveChar();
            count++;
        }

        return _current == bracket ? count : -count - 1;
    }

    private Token ReadLongString(int level)
    {
        ReadLong(level, "unfinished long string");
        LuaString text = Unique(LuaString.From(_text.Bytes[(level + 2)..^(level + 2)]));
        return new Token(TokenKind.String, 0, text);
    }

    private void ReadLong(int level, string unfinished)
    {
        SaveChar();
        if (_current is '\n' or '\r') SkipLineEnd();
        while (true)
            switch (_current)
            {
                case End:
                    throw Error(unfinished, TokenKind.EndOfSource);
                case '[':
                    if (ReadBracket() != level) break;
                    SaveChar();
                    if (level == 0) throw Error("nesting of [[...]] is deprecated", (TokenKind)'[');
                    break;
                case ']':
                    if (ReadBracket() != level) break;
                    SaveChar();
                    return;
                case '\n' or '\r':
                    _text.Add((byte)'\n');
                    SkipLineEnd();
                    break;
                default:
                    SaveChar();
                    break;
            }
    }

    private Token ReadString(int quote)
    {
        SaveChar();
        while (_current != quote)
            switch (_current)
            {
                case End:
                    throw Error("unfinished string", TokenKind.EndOfSource);
                case '\n' or '\r':
                    throw Error("unfinished string", TokenKind.String);
                case '\\':
                    SkipChar();
                    ReadEscape();
                    break;
                default:
                    SaveChar();
                    break;
            }

        SaveChar();
        LuaString text = Unique(LuaString.From(_text.Bytes[1..^1]));
        return new Token(TokenKind.String, 0, text);
    }

    private void ReadEscape()
    {
        switch (_current)
        {
            case End:
                return;
            case '\n' or '\r':
                _text.Add((byte)'\n');
                SkipLineEnd();
                return;
            case >= '0' and <= '9':
                int value = 0;
                for (int digits = 0; digits < 3 && _current is >= '0' and <= '9'; digits++)
                {
                    value = value * 10 + (_current - '0');
                    SkipChar();
                }

                if (value > byte.MaxValue) throw Error("escape sequence too large", TokenKind.String);
                _text.Add((byte)value);
                return;
            default:
                _text.Add((byte)(_current switch
                {
                    'a' => 7,
                    'b' => 8,
                    'f' => 12,
                    'n' => 10,
                    'r' => 13,
                    't' => 9,
                    'v' => 11,
                    _ => _current,
                }));
                SkipChar();
                return;
        }
    }
}
