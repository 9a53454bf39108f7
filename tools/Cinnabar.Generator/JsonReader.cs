using System.Globalization;
using System.Text;

namespace Cinnabar.Generator;

/// <summary>
/// A small strict JSON parser. The compiler loads a generator without its dependencies, so a parser of
/// 150 lines of our own costs less than shipping one beside it; and this one knows lines.
/// Nesting is limited to <see cref="DepthMax"/>.
/// </summary>
internal sealed class JsonReader
{
    private const int DepthMax = 32;
    private readonly string _text;
    private int _position;
    private int _line;

    private JsonReader(string text)
    {
        _text = text;
    }

    public static JsonValue Parse(string text)
    {
        var reader = new JsonReader(text);
        JsonValue value = reader.ReadValue(0);
        reader.SkipSpace();
        if (reader._position < text.Length) throw reader.Error("text after the end of the value");
        return value;
    }

    private SpecException Error(string what) => new SpecException("not JSON: " + what, _line);

    private void SkipSpace()
    {
        for (; _position < _text.Length; _position++)
        {
            char c = _text[_position];
            if (c == '\n') _line++;
            else if (c != ' ' && c != '\t' && c != '\r') return;
        }
    }

    private char Peek()
    {
        SkipSpace();
        return _position < _text.Length ? _text[_position] : throw Error("it ends too early");
    }

    private void Expect(char c)
    {
        if (Peek() != c) throw Error("'" + c + "' expected, found '" + _text[_position] + "'");
        _position++;
    }

    private JsonValue ReadValue(int depth)
    {
        if (depth > DepthMax) throw Error("nested too deeply");
        switch (Peek())
        {
            case '{': return ReadObject(depth);
            case '[': return ReadArray(depth);
            case '"':
                var text = new JsonValue(JsonKind.Text, _line);
                text.Text = ReadText();
                return text;
            default: return ReadWord();
        }
    }

    private JsonValue ReadObject(int depth)
    {
        var value = new JsonValue(JsonKind.Object, _line);
        Expect('{');
        if (Peek() == '}')
        {
            _position++;
            return value;
        }

        while (true)
        {
            if (Peek() != '"') throw Error("a name expected");
            string name = ReadText();
            if (value.Names.Contains(name)) throw Error("\"" + name + "\" stands twice");
            Expect(':');
            value.Names.Add(name);
            value.Items.Add(ReadValue(depth + 1));
            if (Peek() == ',')
            {
                _position++;
                continue;
            }

            Expect('}');
            return value;
        }
    }

    private JsonValue ReadArray(int depth)
    {
        var value = new JsonValue(JsonKind.Array, _line);
        Expect('[');
        if (Peek() == ']')
        {
            _position++;
            return value;
        }

        while (true)
        {
            value.Items.Add(ReadValue(depth + 1));
            if (Peek() == ',')
            {
                _position++;
                continue;
            }

            Expect(']');
            return value;
        }
    }

    private string ReadText()
    {
        var text = new StringBuilder();
        for (_position++; _position < _text.Length; _position++)
        {
            char c = _text[_position];
            if (c == '"')
            {
                _position++;
                return text.ToString();
            }

            if (c < ' ') throw Error("a control character in a string");
            text.Append(c == '\\' ? ReadEscape() : c);
        }

        throw Error("a string without end");
    }

    private char ReadEscape()
    {
        _position++;
        char c = _position < _text.Length ? _text[_position] : throw Error("a string without end");
        switch (c)
        {
            case '"':
            case '\\':
            case '/': return c;
            case 'n': return '\n';
            case 't': return '\t';
            case 'r': return '\r';
            case 'u' when _position + 4 < _text.Length:
                string digits = _text.Substring(_position + 1, 4);
                if (!ushort.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture,
                    out ushort unit)) throw Error("a bad \\u escape");
                _position += 4;
                return (char)unit;
            default: throw Error("an unknown escape");
        }
    }

    private JsonValue ReadWord()
    {
        int start = _position;
        for (; _position < _text.Length; _position++)
        {
            char c = _text[_position];
            if (c != '-' && !char.IsLetterOrDigit(c)) break;
        }


        string word = _text.Substring(start, _position - start);
        if (word == "null") return new JsonValue(JsonKind.Null, _line);
        if (word == "true" || word == "false")
            return new JsonValue(JsonKind.Boolean, _line) { IsTrue = word == "true" };
        if (!int.TryParse(word, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out _))
            throw Error("a value expected");
        return new JsonValue(JsonKind.Number, _line) { Text = word };
    }
}
