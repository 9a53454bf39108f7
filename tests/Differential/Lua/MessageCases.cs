using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Cinnabar.Lua.Values;

namespace Cinnabar.Tests.Differential.Lua;

/// <summary>Random calls of cjson and cmsgpack.</summary>
internal sealed class MessageCases(LibraryCases cases)
{
    private readonly Random _random = cases.Random;

    /// <summary>Texts for cjson.decode: JSON, most of it with a mistake.</summary>
    internal IEnumerable<LibraryCase> JsonTexts(int count)
    {
        for (int index = 0; index < count; index++)
        {
            var text = new StringBuilder();
            AppendJson(text, 4);
            string mutated = _random.Next(2) == 0 ? text.ToString() : Mutate(text.ToString(),
                "{}[],:\"\\u0dnNiIe+-.x1tf \0\t'");
            yield return new LibraryCase("cjson.decode", LibraryCase.Text(mutated));
        }
    }

    /// <summary>Values for cjson.encode.</summary>
    internal IEnumerable<LibraryCase> JsonValues(int count)
    {
        for (int index = 0; index < count; index++)
            yield return new LibraryCase("cjson.encode", Value(4));
    }

    /// <summary>Calls that change settings, and others that depend on them.</summary>
    internal IEnumerable<LibraryCase> JsonSettings(int count)
    {
        string[] names =
        [
            "encode_max_depth", "decode_max_depth", "encode_sparse_array", "encode_keep_buffer",
            "encode_number_precision", "encode_invalid_numbers", "decode_invalid_numbers",
        ];
        for (int index = 0; index < count; index++)
        {
            LibraryCase[] next =
            [
                new("cjson." + names[_random.Next(names.Length)],
                    [.. Enumerable.Range(0, _random.Next(4)).Select(_ => Setting())]),
                .. JsonTexts(1), .. JsonValues(1),
            ];
            yield return next[_random.Next(next.Length)];
        }
    }

    /// <summary>Calls of cmsgpack.</summary>
    internal IEnumerable<LibraryCase> Packs(int count)
    {
        string[] heads =
        [
            "\xc0", "\xc2", "\xc3", "\xc1", "\xc4", "\xca\x3f\x80\0\0", "\xcb\x3f\xf0\0\0\0\0\0\0",
            "\xcc\xff", "\xcd\xff\xfe",
            "\xce\xff\0\0\0", "\xcf\xff\0\0\0\0\0\0\0", "\xd0\x80", "\xd1\x80\0", "\xd2\x80\0\0\0",
            "\xd3\x80\0\0\0\0\0\0\0", "\xd9\x02xy", "\xda\0\x01z", "\xdb\0\0\0\x01z", "\xdc\0\x01",
            "\xdd\0\0\0\x02",
            "\xde\0\x01", "\xdf\0\0\0\x01", "\x93", "\x92", "\x91", "\x90", "\x80", "\x81", "\x82", "\xa0",
            "\xa1q", "\xa3abc",
            "\x05", "\x7f", "\xe0", "\xff", "\xc7", "\xd4", "\xdd\x7f\xff\xff\xff", "\xdb\xff\xff\xff\xff",
        ];
        for (int index = 0; index < count; index++)
        {
            string data = string.Concat(Enumerable.Range(0, _random.Next(7)).Select(_ =>
                heads[_random.Next(heads.Length)]));
            if (_random.Next(3) == 0) data = Mutate(data, "\0\x01\x02\x81\x91\xa1\xc0\xff");
            yield return _random.Next(6) switch
            {
                0 => new LibraryCase("cmsgpack.unpack_one", LibraryCase.Text(data), _random.Next(-1, 8)),
                1 => new LibraryCase("cmsgpack.unpack_limit", LibraryCase.Text(data), _random.Next(-1, 4),
                _random.Next(-1, 4)),
                2 => new LibraryCase("cmsgpack.unpack_limit", LibraryCase.Text(data), cases.Any()),
                3 or 4 => new LibraryCase("cmsgpack.pack", [.. Enumerable.Range(0,
                _random.Next(4)).Select(_ => Value(4))]),
                _ => new LibraryCase("cmsgpack.unpack", LibraryCase.Text(data)),
            };
        }
    }

    // An array without holes, or one pair: the order of more pairs differs.
    private LuaValue Value(int depth)
    {
        if (depth == 0 || _random.Next(3) == 0) return Leaf();
        var table = new LuaTable();
        if (_random.Next(2) == 0)
        {
            int length = _random.Next(_random.Next(8) == 0 ? 40 : 4);
            for (int index = 1; index <= length; index++)
            {
                LuaValue item = Value(depth - 1);
                table.Set(index, item.IsNil ? LuaValue.True : item);
            }
            return LuaValue.From(table);
        }
        LuaValue key = _random.Next(4) switch
        {
            0 => Leaf(),
            1 => _random.Next(30),
            _ => LibraryCase.Text(cases.Subject()),
        };
        if (!key.IsNil && !(key.IsNumber && double.IsNaN(key.Number))) table.Set(key, Value(depth - 1));
        return LuaValue.From(table);
    }

    private LuaValue Leaf()
    {
        LuaValue value = cases.Any();
        return value.IsTable || LibraryCase.IsNamed(value, out _) ? LibraryCase.Text(cases.Subject()) : value;
    }

    private LuaValue Setting() => _random.Next(10) switch
    {
        0 => LuaValue.True,
        1 => LuaValue.False,
        2 => LibraryCase.Text("on"),
        3 => LibraryCase.Text("off"),
        4 => LibraryCase.Text("null"),
        5 => cases.Any() is { IsString: false } value ? value : LuaValue.Nil,
        6 => LuaValue.Nil,
        _ => _random.Next(-1, 16),
    };

    private void AppendJson(StringBuilder text, int depth)
    {
        string[] leaves =
        [
            "null", "true", "false", "0", "-1", "1.5", "1e5", "-0", "12345678901234567890", "0x1F", "01",
            "inf", "-nan", "NaN", "+1",
            ".5", "1.", "1e", "\"\"", "\"a\"", "\"\\n\\t\\\\\\\"\\/\"", "\"\\u00e9\\u20ac\"",
            "\"\\ud83d\\ude00\"", "\"\\ud83d\"",
            "\"\\u12\"", "\"\\x\"", "\"\t\xe9\"", "infinity", "nan(1)", "0x1p-3", "1E+2",
        ];
        int kind = depth == 0 ? 0 : _random.Next(4);
        if (_random.Next(5) == 0) text.Append(" \t\r\n"[_random.Next(4)]);
        if (kind < 2)
        {
            text.Append(leaves[_random.Next(leaves.Length)]);
            return;
        }
        text.Append(kind == 2 ? '[' : '{');
        int count = _random.Next(4);
        for (int index = 0; index < count; index++)
        {
            if (index > 0) text.Append(',');
            if (kind == 3) text.Append(_random.Next(8) == 0 ? "1:" : $"\"k{_random.Next(3)}\" :");
            AppendJson(text, depth - 1);
        }
        text.Append(kind == 2 ? ']' : '}');
    }

    private string Mutate(string text, string letters)
    {
        int place = _random.Next(text.Length + 1);
        string letter = letters[_random.Next(letters.Length)].ToString();
        return _random.Next(3) switch
        {
            0 => text.Insert(place, letter),
            1 => text[..place],
            _ => place < text.Length ? text.Remove(place, 1).Insert(place, letter) : text,
        };
    }
}
