using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Json;

/// <summary>The library <c>cjson</c>: encode, decode, and their settings.</summary>
internal sealed class JsonLibrary
{
    private readonly JsonSettings _settings = new();

    private readonly LuaValue _null;
    private readonly LuaMachine _machine;

    private JsonLibrary(LuaMachine machine, LuaValue nullValue)
    {
        _machine = machine;
        _null = nullValue;
    }

    /// <summary>The library of a machine.</summary>
    /// <param name="machine">The machine.</param>
    /// <param name="nullValue">The value that stands for null.</param>
    /// <param name="library">The settings' owner.</param>
    internal static LuaTable Open(LuaMachine machine, LuaValue nullValue, out JsonLibrary library)
    {
        library = new JsonLibrary(machine, nullValue);
        return library.MakeTable();
    }

    /// <summary>Forgets what scripts have set.</summary>
    internal void Reset() => _settings.Reset();

    private LuaTable MakeTable()
    {
        LuaTable table = LibraryTable.Make(_machine,
        [
            ("decode", Decode), ("decode_array_with_array_mt", MarkEmptyArrays),
            ("decode_invalid_numbers", DecodeInvalid), ("decode_max_depth", DecodeDepthMax),
            ("encode", Encode), ("encode_invalid_numbers", EncodeInvalid),
            ("encode_keep_buffer", KeepBuffer), ("encode_max_depth", EncodeDepthMax),
            ("encode_number_precision", NumberPrecision), ("encode_sparse_array", SparseArray), ("new", New),
        ]);
        table.Set("null", _null);
        table.Set("_NAME", LuaValue.FromString("cjson"));
        table.Set("_VERSION", LuaValue.FromString("2.1.0"));
        return table;
    }

    private int New(LuaCall call)
    {
        const int librarySize = 1024;
        call.Charge(librarySize);
        return call.Return(LuaValue.From(new JsonLibrary(_machine, _null).MakeTable()));
    }

    private int Encode(LuaCall call)
    {
        if (call.Count != 1) throw call.ArgumentError(0, "expected 1 argument");
        var encoder = new JsonEncoder(call, _settings, _null);
        return call.Return(encoder.Encode(call[0]));
    }

    private int Decode(LuaCall call)
    {
        if (call.Count != 1) throw call.ArgumentError(0, "expected 1 argument");
        ReadOnlySpan<byte> text = call.CheckString(0).Bytes;
        if (text.Length >= 2 && (text[0] == 0 || text[1] == 0))
            throw call.Error("JSON parser does not support UTF-16 or UTF-32");
        var decoder = new JsonDecoder(call, text, _settings, _null);
        return call.Return(decoder.Decode());
    }

    private static void CheckCount(LuaCall call, int max)
    {
        if (call.Count > max) throw call.ArgumentError(max, "found too many arguments");
    }

    // Of any argument the range error says that it is the first.
    private static int IntegerOf(LuaCall call, int index, int current, int min, int max)
    {
        if (call[index].IsNil) return current;
        int value = call.CheckInt(index);
        if (value < min || value > max)
            throw call.ArgumentError(0, $"expected integer between {min} and {max}");
        return value;
    }

    private static JsonInvalidNumbers ChoiceOf(LuaCall call, JsonInvalidNumbers current, bool hasNull)
    {
        LuaValue value = call[0];
        if (value.IsNil) return current;
        if (value.IsBoolean) return value.Boolean ? JsonInvalidNumbers.On : JsonInvalidNumbers.Off;
        LuaString name = call.CheckString(0);
        if (name.Bytes.SequenceEqual("off"u8)) return JsonInvalidNumbers.Off;
        if (name.Bytes.SequenceEqual("on"u8)) return JsonInvalidNumbers.On;
        if (hasNull && name.Bytes.SequenceEqual("null"u8)) return JsonInvalidNumbers.Null;
        string text = name.ToString();
        int end = text.IndexOf('\0', StringComparison.Ordinal);
        throw call.ArgumentError(0, $"invalid option '{(end < 0 ? text : text[..end])}'");
    }

    private static bool SwitchOf(LuaCall call, bool current) =>
        ChoiceOf(call, current ? JsonInvalidNumbers.On : JsonInvalidNumbers.Off, hasNull: false)
            == JsonInvalidNumbers.On;

    private int EncodeDepthMax(LuaCall call)
    {
        CheckCount(call, 1);
        _settings.EncodeDepthMax = IntegerOf(call, 0, _settings.EncodeDepthMax, 1, int.MaxValue);
        return call.Return((double)_settings.EncodeDepthMax);
    }

    private int DecodeDepthMax(LuaCall call)
    {
        CheckCount(call, 1);
        _settings.DecodeDepthMax = IntegerOf(call, 0, _settings.DecodeDepthMax, 1, int.MaxValue);
        return call.Return((double)_settings.DecodeDepthMax);
    }

    private int NumberPrecision(LuaCall call)
    {
        const int precisionMax = 14;
        CheckCount(call, 1);
        _settings.NumberPrecision = IntegerOf(call, 0, _settings.NumberPrecision, 1, precisionMax);
        return call.Return((double)_settings.NumberPrecision);
    }

    private int KeepBuffer(LuaCall call)
    {
        CheckCount(call, 1);
        _settings.KeepBuffer = SwitchOf(call, _settings.KeepBuffer);
        return call.Return(LuaValue.FromBoolean(_settings.KeepBuffer));
    }

    private int EncodeInvalid(LuaCall call)
    {
        CheckCount(call, 1);
        JsonInvalidNumbers choice = ChoiceOf(call, _settings.EncodeInvalid, hasNull: true);
        _settings.EncodeInvalid = choice;
        return call.Return(choice == JsonInvalidNumbers.Null
            ? LuaValue.FromString("null") : LuaValue.FromBoolean(choice == JsonInvalidNumbers.On));
    }

    private int DecodeInvalid(LuaCall call)
    {
        CheckCount(call, 1);
        _settings.DecodeInvalid = SwitchOf(call, _settings.DecodeInvalid);
        return call.Return(LuaValue.FromBoolean(_settings.DecodeInvalid));
    }

    private int MarkEmptyArrays(LuaCall call)
    {
        CheckCount(call, 1);
        _settings.MarkEmptyArrays = SwitchOf(call, _settings.MarkEmptyArrays);
        return call.Return(LuaValue.FromBoolean(_settings.MarkEmptyArrays));
    }

    private int SparseArray(LuaCall call)
    {
        const int argumentsMax = 3;
        CheckCount(call, argumentsMax);
        _settings.SparseConvert = SwitchOf(call, _settings.SparseConvert);
        _settings.SparseRatio = IntegerOf(call, 1, _settings.SparseRatio, 0, int.MaxValue);
        _settings.SparseSafe = IntegerOf(call, 2, _settings.SparseSafe, 0, int.MaxValue);
        return call.Return(LuaValue.FromBoolean(_settings.SparseConvert), (double)_settings.SparseRatio,
            (double)_settings.SparseSafe);
    }
}
