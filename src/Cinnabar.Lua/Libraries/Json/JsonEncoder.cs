using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Libraries.Strings;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Json;

/// <summary>Writes a value as JSON.</summary>
/// <remarks>
/// A table whose keys are all positive integers is an array, of the length of its highest key; an empty one
/// is an object, unless it is marked. An array of many holes is an error or an object, as the settings say.
/// Tables within each other are kept in <see cref="JsonFrames"/>, without recursion.
/// </remarks>
internal ref struct JsonEncoder
{
    // What a C function needs to be free on its stack to go on into a table.
    private const int StackNeed = 3;

    private readonly LuaCall _call;
    private readonly JsonSettings _settings;
    private readonly LuaValue _null;
    private TextBuilder _text;
    private JsonFrames _frames;
    private int _work;

    internal JsonEncoder(LuaCall call, JsonSettings settings, LuaValue nullValue)
    {
        _call = call;
        _settings = settings;
        _null = nullValue;
        _text = new TextBuilder(call);
        _frames = new JsonFrames(call);
    }

    /// <summary>The text of a value.</summary>
    internal LuaValue Encode(LuaValue value)
    {
        AppendValue(value);
        while (_frames.Depth > 0) AppendNext();
        return _text.End();
    }

    private void AppendNext()
    {
        if ((++_work & 63) == 0) _call.Step(64);
        ref JsonFrame frame = ref _frames.Top;
        if (frame.Index > 0)
        {
            if (frame.Index > frame.Length)
            {
                _text.Append((byte)']');
                _frames.Pop();
                return;
            }
            if (frame.Index > 1) _text.Append((byte)',');
            AppendValue(frame.Table.Get(frame.Index++));
            return;
        }
        bool isFirst = frame.Key.IsNil;
        if (!frame.Table.Next(ref frame.Key, out LuaValue value))
        {
            _text.Append((byte)'}');
            _frames.Pop();
            return;
        }
        if (!isFirst) _text.Append((byte)',');
        AppendKey(frame.Key);
        AppendValue(value);
    }

    private void AppendKey(LuaValue key)
    {
        if (key.IsString)
        {
            AppendText(key.String.Bytes);
        }
        else if (key.IsNumber)
        {
            _text.Append((byte)'"');
            AppendNumber(key);
            _text.Append((byte)'"');
        }
        else
        {
            throw Unfit(key, "table key must be a number or string");
        }
        _text.Append((byte)':');
    }

    private void AppendValue(LuaValue value)
    {
        switch (value.Type)
        {
            case LuaType.String:
                AppendText(value.String.Bytes);
                break;
            case LuaType.Number:
                AppendNumber(value);
                break;
            case LuaType.Boolean:
                _text.Append(value.Boolean ? "true"u8 : "false"u8);
                break;
            case LuaType.Nil:
                _text.Append("null"u8);
                break;
            case LuaType.Table:
                AppendTable(value.Table);
                break;
            case LuaType.Userdata when value == _null:
                _text.Append("null"u8);
                break;
            default:
                throw Unfit(value, "type not supported");
        }
    }

    private readonly LuaException Unfit(LuaValue value, string reason) =>
        _call.Error($"Cannot serialise {value.TypeName}: {reason}");

    private void AppendTable(LuaTable table)
    {
        int depth = _frames.Depth + 1;
        if (depth > _settings.EncodeDepthMax || _frames.StackCount + 1 + StackNeed > LibraryTable.StackMax)
            throw _call.Error($"Cannot serialise, excessive nesting ({depth})");
        int length = ArrayLength(table);
        if (length > 0)
        {
            _text.Append((byte)'[');
            _frames.Push(table, isArray: true, length);
        }
        else if (length == 0 && IsMarked(table))
        {
            _text.Append("[]"u8);
        }
        else
        {
            _text.Append((byte)'{');
            _frames.Push(table, isArray: false, 0);
        }
    }

    private static bool IsMarked(LuaTable table) =>
        table.Metatable is { } meta && meta.Get(LuaString.From(JsonDecoder.ArrayMark)).IsTruthy;

    // The highest index; negative when the table is an object. As in C it is an int: a greater number becomes
    // the smallest one, so that the table is an object.
    private int ArrayLength(LuaTable table)
    {
        int max = 0;
        int count = 0;
        LuaValue key = LuaValue.Nil;
        while (table.Next(ref key, out _))
        {
            if (!key.IsNumber || key.Number < 1 || key.Number != Math.Floor(key.Number)) return -1;
            if (key.Number > max) max = key.Number <= int.MaxValue ? (int)key.Number : int.MinValue;
            if ((++count & 255) == 0) _call.Step(64);
        }
        bool isSparse = _settings.SparseRatio > 0 && max > unchecked(count * _settings.SparseRatio)
            && max > _settings.SparseSafe;
        if (!isSparse) return max;
        if (!_settings.SparseConvert) throw _call.Error("Cannot serialise table: excessively sparse array");
        return -1;
    }

    private void AppendNumber(LuaValue value)
    {
        const int usualPrecision = 14;
        double number = value.Number;
        if (!double.IsFinite(number))
        {
            AppendInvalid(value);
        }
        else if (_settings.NumberPrecision == usualPrecision)
        {
            _text.AppendNumber(number);
        }
        else
        {
            if (double.IsNegative(number)) _text.Append((byte)'-');
            Span<byte> room = _text.Reserve(NumberText.LengthMax);
            _text.Advance(RealText.General(Math.Abs(number), _settings.NumberPrecision, keepZeros: false,
                room));
        }
    }

    private void AppendInvalid(LuaValue value)
    {
        if (_settings.EncodeInvalid == JsonInvalidNumbers.Off) throw Unfit(value, "must not be NaN or Inf");
        if (_settings.EncodeInvalid == JsonInvalidNumbers.Null) _text.Append("null"u8);
        else if (double.IsNaN(value.Number)) _text.Append("nan"u8);
        else _text.Append(value.Number < 0 ? "-inf"u8 : "inf"u8);
    }

    private void AppendText(ReadOnlySpan<byte> text)
    {
        _text.Append((byte)'"');
        _work += text.Length >> 6;
        while (true)
        {
            int special = FindSpecial(text);
            _text.Append(text[..special]);
            if (special == text.Length) break;
            AppendEscape(text[special]);
            text = text[(special + 1)..];
        }
        _text.Append((byte)'"');
    }

    // The place of the first byte that needs an escape, or the length.
    private static int FindSpecial(ReadOnlySpan<byte> text)
    {
        // A bit for each byte below 128: 0 to 31, the quote, the slash, the backslash and 127.
        const ulong low = 0xFFFF_FFFF | 1UL << '"' | 1UL << '/';
        const ulong high = 1UL << ('\\' - 64) | 1UL << (127 - 64);
        for (int i = 0; i < text.Length; i++)
        {
            byte letter = text[i];
            if (letter < 128 && ((letter < 64 ? low : high) >> (letter & 63) & 1) != 0) return i;
        }
        return text.Length;
    }

    private void AppendEscape(byte letter)
    {
        ReadOnlySpan<byte> text = letter switch
        {
            (byte)'"' => "\\\""u8,
            (byte)'\\' => "\\\\"u8,
            (byte)'/' => "\\/"u8,
            (byte)'\b' => "\\b"u8,
            (byte)'\f' => "\\f"u8,
            (byte)'\n' => "\\n"u8,
            (byte)'\r' => "\\r"u8,
            (byte)'\t' => "\\t"u8,
            _ => default,
        };
        _text.Append(text);
        if (!text.IsEmpty) return;
        _text.Append("\\u00"u8);
        _text.Append("0123456789abcdef"u8[letter >> 4]);
        _text.Append("0123456789abcdef"u8[letter & 15]);
    }
}
