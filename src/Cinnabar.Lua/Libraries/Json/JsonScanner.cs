using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;

namespace Cinnabar.Lua.Libraries.Json;

/// <summary>Splits a JSON text into tokens. A zero byte ends the text.</summary>
internal ref struct JsonScanner
{
    private readonly ReadOnlySpan<byte> _text;
    private readonly bool _acceptsInvalid;
    private TextBuilder _buffer;
    private int _textStart;
    private int _textEnd;
    private bool _isBuffered;

    internal JsonScanner(LuaCall call, ReadOnlySpan<byte> text, bool acceptsInvalid)
    {
        _text = text;
        _acceptsInvalid = acceptsInvalid;
        _buffer = new TextBuilder(call);
    }

    /// <summary>The token that was read last.</summary>
    internal JsonToken Token { get; private set; }

    /// <summary>Where it begins, or where the mistake is.</summary>
    internal int TokenStart { get; private set; }

    /// <summary>What is wrong, when the token is an error.</summary>
    internal string Mistake { get; private set; } = "";

    /// <summary>The number of a number token.</summary>
    internal double Number { get; private set; }

    /// <summary>Where the next token may begin.</summary>
    internal int Place { get; private set; }

    /// <summary>The content of a string token, until the next token is read.</summary>
    internal readonly ReadOnlySpan<byte> Text => _isBuffered ? _buffer.Written : _text[_textStart.._textEnd];

    /// <summary>Gives back what it borrowed.</summary>
    internal void Dispose() => _buffer.Dispose();

    /// <summary>Reads the next token.</summary>
    internal void Read()
    {
        while (Place < _text.Length
            && _text[Place] is (byte)' ' or (byte)'\n' or (byte)'\r' or (byte)'\t') Place++;
        TokenStart = Place;
        byte letter = Peek(0);
        switch (letter)
        {
            case 0: Token = JsonToken.End; return;
            case (byte)'{': TakeOne(JsonToken.ObjectBegin); return;
            case (byte)'}': TakeOne(JsonToken.ObjectEnd); return;
            case (byte)'[': TakeOne(JsonToken.ArrayBegin); return;
            case (byte)']': TakeOne(JsonToken.ArrayEnd); return;
            case (byte)',': TakeOne(JsonToken.Comma); return;
            case (byte)':': TakeOne(JsonToken.Colon); return;
            case (byte)'"': ReadText(); return;
            case (byte)'-' or (>= (byte)'0' and <= (byte)'9'): ReadNumber(); return;
            default: ReadWord(); return;
        }
    }

    private readonly byte Peek(int offset) => Place + offset < _text.Length ? _text[Place + offset] : (byte)0;

    private void TakeOne(JsonToken token)
    {
        Token = token;
        Place++;
    }

    private void Fail(string mistake)
    {
        Token = JsonToken.Error;
        TokenStart = Place;
        Mistake = mistake;
    }

    private void ReadWord()
    {
        ReadOnlySpan<byte> rest = _text[Place..];
        Token = rest.StartsWith("true"u8) ? JsonToken.True
            : rest.StartsWith("false"u8) ? JsonToken.False
            : rest.StartsWith("null"u8) ? JsonToken.Null : JsonToken.Error;
        if (Token != JsonToken.Error) Place += Token == JsonToken.False ? 5 : 4;
        else if (_acceptsInvalid && IsInvalidNumber(rest)) ReadNumber();
        else Fail("invalid token");
    }

    // What strtod takes and JSON does not.
    private static bool IsInvalidNumber(ReadOnlySpan<byte> text)
    {
        if (text[0] == '+') return true;
        if (text[0] == '-') text = text[1..];
        if (text.IsEmpty) return false;
        if (text[0] == '0')
            return text.Length > 1 && ((text[1] | 0x20) == 'x' || char.IsAsciiDigit((char)text[1]));
        return text.Length >= 3 && text[0] > '9'
            && (Ascii.EqualsIgnoreCase(text[..3], "inf"u8) || Ascii.EqualsIgnoreCase(text[..3], "nan"u8));
    }

    private void ReadNumber()
    {
        ReadOnlySpan<byte> rest = _text[Place..];
        if (!_acceptsInvalid && IsInvalidNumber(rest))
        {
            Fail("invalid number");
            return;
        }
        int length = NumberScanner.Scan(rest, out double number);
        if (length == 0)
        {
            Fail("invalid number");
            return;
        }
        Token = JsonToken.Number;
        Number = number;
        Place += length;
    }

    private void ReadText()
    {
        Place++;
        _isBuffered = false;
        _textStart = Place;
        while (true)
        {
            int length = _text[Place..].IndexOfAny((byte)'"', (byte)'\\', (byte)0);
            if (length < 0) length = _text.Length - Place;
            if (_isBuffered) _buffer.Append(_text.Slice(Place, length));
            Place += length;
            byte letter = Peek(0);
            if (letter == '"')
            {
                _textEnd = Place++;
                Token = JsonToken.Text;
                return;
            }
            if (letter == 0)
            {
                Fail("unexpected end of string");
                return;
            }
            if (!_isBuffered)
            {
                _isBuffered = true;
                _buffer.Truncate(0);
                _buffer.Append(_text[_textStart..Place]);
            }
            if (!ReadEscape()) return;
        }
    }

    private bool ReadEscape()
    {
        byte letter = Peek(1);
        if (letter == 'u') return ReadUnicode();
        byte value = letter switch
        {
            (byte)'"' or (byte)'\\' or (byte)'/' => letter,
            (byte)'b' => (byte)'\b',
            (byte)'f' => (byte)'\f',
            (byte)'n' => (byte)'\n',
            (byte)'r' => (byte)'\r',
            (byte)'t' => (byte)'\t',
            _ => 0,
        };
        if (value == 0)
        {
            Fail("invalid escape code");
            return false;
        }
        _buffer.Append(value);
        Place += 2;
        return true;
    }

    private bool ReadUnicode()
    {
        const int escapeLength = 6;
        int code = HexAt(2), length = escapeLength;
        if ((code & 0xF800) == 0xD800 && code >= 0)
        {
            // A pair: the first half, and an escape with the second.
            int second = code < 0xDC00 && Peek(escapeLength) == '\\' && Peek(escapeLength + 1) == 'u'
                ? HexAt(escapeLength + 2) : -1;
            bool isPair = second >= 0 && (second & 0xFC00) == 0xDC00;
            code = isPair ? 0x10000 + ((code & 0x3FF) << 10 | (second & 0x3FF)) : -1;
            length = 2 * escapeLength;
        }
        if (code < 0)
        {
            Fail("invalid unicode escape code");
            return false;
        }
        const int utf8Max = 4;
        _buffer.Advance(new Rune(code).EncodeToUtf8(_buffer.Reserve(utf8Max)));
        Place += length;
        return true;
    }

    // Four hexadecimal digits; -1 when they are none.
    private readonly int HexAt(int offset)
    {
        int value = 0;
        for (int i = 0; i < 4; i++)
        {
            char digit = (char)Peek(offset + i);
            if (!char.IsAsciiHexDigit(digit)) return -1;
            value = value << 4 | (char.IsAsciiDigit(digit) ? digit - '0' : (digit | 0x20) - 'a' + 10);
        }
        return value;
    }
}
