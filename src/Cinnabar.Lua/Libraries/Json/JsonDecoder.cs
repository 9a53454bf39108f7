using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Json;

/// <summary>Makes a value of a JSON text. Tables within each other are kept in <see cref="JsonFrames"/>,
/// without recursion; keys that come again and again are one string.</summary>
internal ref struct JsonDecoder
{
    /// <summary>The key in the metatable of an empty array that is marked as one.</summary>
    internal const string ArrayMark = "__is_cjson_array";

    // What a C function needs to be free on its stack to go on into an array or an object.
    private const int StackNeedOfArray = 2;
    private const int StackNeedOfObject = 3;

    private readonly LuaCall _call;
    private readonly JsonSettings _settings;
    private readonly LuaValue _null;
    private JsonScanner _scanner;
    private JsonFrames _frames;
    private KeyCache _keys;
    private int _work;

    internal JsonDecoder(LuaCall call, ReadOnlySpan<byte> text, JsonSettings settings, LuaValue nullValue)
    {
        _call = call;
        _settings = settings;
        _null = nullValue;
        _scanner = new JsonScanner(call, text, settings.DecodeInvalid);
        _frames = new JsonFrames(call);
    }

    /// <summary>The value of the text.</summary>
    internal LuaValue Decode()
    {
        _scanner.Read();
        LuaValue value;
        while (!ReadValue(out value) || !Store(ref value))
            if ((++_work & 63) == 0) _call.Step(64);
        _scanner.Read();
        if (_scanner.Token != JsonToken.End) throw Unexpected("the end");
        _scanner.Dispose();
        return value;
    }

    // Makes a value of the token; false when it opens a table whose first value's token is read.
    private bool ReadValue(out LuaValue value)
    {
        value = LuaValue.Nil;
        switch (_scanner.Token)
        {
            case JsonToken.Text:
                _work += _scanner.Text.Length >> 6;
                value = _call.NewString(_scanner.Text);
                return true;
            case JsonToken.Number:
                value = _scanner.Number;
                return true;
            case JsonToken.True or JsonToken.False:
                value = LuaValue.FromBoolean(_scanner.Token == JsonToken.True);
                return true;
            case JsonToken.Null:
                value = _null;
                return true;
            case JsonToken.ObjectBegin:
                return !EnterObject(ref value);
            case JsonToken.ArrayBegin:
                return !EnterArray(ref value);
            default:
                throw Unexpected("value");
        }
    }

    // Puts a value into the table that it belongs to, and the table into its own where it ends; true when the
    // outermost value is complete. Else the token of the next value is read.
    private bool Store(ref LuaValue value)
    {
        while (_frames.Depth > 0)
        {
            ref JsonFrame frame = ref _frames.Top;
            bool isArray = frame.Index > 0;
            if (isArray) frame.Table.Set(frame.Index++, value);
            else frame.Table.Set(frame.Key, value);
            _scanner.Read();
            if (_scanner.Token == JsonToken.Comma)
            {
                _scanner.Read();
                if (!isArray) ReadKey(ref frame);
                return false;
            }
            if (_scanner.Token != (isArray ? JsonToken.ArrayEnd : JsonToken.ObjectEnd))
                throw Unexpected(isArray ? "comma or array end" : "comma or object end");
            value = LuaValue.From(frame.Table);
            _frames.Pop();
        }
        return true;
    }

    private void ReadKey(ref JsonFrame frame)
    {
        if (_scanner.Token != JsonToken.Text) throw Unexpected("object key string");
        frame.Key = _keys.Get(_call, _scanner.Text);
        _scanner.Read();
        if (_scanner.Token != JsonToken.Colon) throw Unexpected("colon");
        _scanner.Read();
    }

    // Whether it has values; else the value is the empty table.
    private bool EnterObject(ref LuaValue value)
    {
        CheckDepth(StackNeedOfObject);
        LuaTable table = _call.NewTable();
        _scanner.Read();
        if (_scanner.Token == JsonToken.ObjectEnd)
        {
            value = LuaValue.From(table);
            return false;
        }
        _frames.Push(table, isArray: false, 0);
        ReadKey(ref _frames.Top);
        return true;
    }

    private bool EnterArray(ref LuaValue value)
    {
        CheckDepth(StackNeedOfArray);
        LuaTable table = _call.NewTable();
        _scanner.Read();
        if (_scanner.Token == JsonToken.ArrayEnd)
        {
            if (_settings.MarkEmptyArrays) Mark(table);
            value = LuaValue.From(table);
            return false;
        }
        _frames.Push(table, isArray: true, 0);
        return true;
    }

    private readonly void Mark(LuaTable table)
    {
        LuaTable meta = _call.NewTable();
        meta.Set(ArrayMark, LuaValue.True);
        table.Metatable = meta;
    }

    private readonly void CheckDepth(int stackNeed)
    {
        int depth = _frames.Depth + 1;
        bool fits = _frames.StackCount + 1 + stackNeed <= LibraryTable.StackMax;
        if (fits && depth <= _settings.DecodeDepthMax) return;
        throw _call.Error($"Found too many nested data structures ({depth}) at character {_scanner.Place}");
    }

    private readonly LuaException Unexpected(string expected)
    {
        string found = _scanner.Token switch
        {
            JsonToken.Error => _scanner.Mistake,
            JsonToken.ObjectBegin => "T_OBJ_BEGIN",
            JsonToken.ObjectEnd => "T_OBJ_END",
            JsonToken.ArrayBegin => "T_ARR_BEGIN",
            JsonToken.ArrayEnd => "T_ARR_END",
            JsonToken.Text => "T_STRING",
            JsonToken.Number => "T_NUMBER",
            JsonToken.True or JsonToken.False => "T_BOOLEAN",
            JsonToken.Null => "T_NULL",
            JsonToken.Colon => "T_COLON",
            JsonToken.Comma => "T_COMMA",
            _ => "T_END",
        };
        return _call.Error($"Expected {expected} but found {found} at character {_scanner.TokenStart + 1}");
    }
}
