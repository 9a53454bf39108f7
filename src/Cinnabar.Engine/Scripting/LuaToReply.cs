// What a script returns, as a reply. Tables with a field err, ok, double, map, set, big_number or
// verbatim_string of the right type stand for these; any other is an array that ends before its first nil.
// Booleans are 1 and null, unless the script has chosen RESP3 for itself.

using Cinnabar.Engine.Statistics;
using Cinnabar.Lua.Values;

namespace Cinnabar.Engine.Scripting;

/// <summary>Replies a value of Lua.</summary>
/// <param name="names">Names of the script's machine.</param>
/// <param name="isResp3">Whether the script has chosen RESP3.</param>
/// <param name="errors">The server's counts of errors.</param>
internal readonly struct LuaToReply(ScriptNames names, bool isResp3, ErrorStatistics errors)
{
    // Each level is a recursion.
    private const int DepthMax = 1000;

    private const int FormatLength = 3;

    /// <summary>Replies a value.</summary>
    public void Write(ref ReplyWriter reply, LuaValue value) => Write(ref reply, value, 0);

    private void Write(ref ReplyWriter reply, LuaValue value, int depth)
    {
        if (depth > DepthMax)
        {
            reply.Error("ERR reached lua stack limit"u8);
            return;
        }

        switch (value.Type)
        {
            case LuaType.String:
                reply.Bulk(value.String.Bytes);
                break;
            case LuaType.Number:
                reply.Integer(ToInteger(value.Number));
                break;
            case LuaType.Boolean when isResp3:
                reply.Boolean(value.Boolean);
                break;
            case LuaType.Boolean when value.Boolean:
                reply.Integer(1);
                break;
            case LuaType.Table:
                WriteTable(ref reply, value.Table, depth);
                break;
            default:
                reply.Null();
                break;
        }
    }

    // The error that a command replied to the script was counted there.
    private void WriteError(ref ReplyWriter reply, ReadOnlySpan<byte> text, bool isCounted)
    {
        reply.Error(text);
        if (isCounted)
            errors.Uncount(text);
    }

    // As C converts on x86-64: what does not fit becomes the least integer.
    private static long ToInteger(double number) =>
        number is >= -9223372036854775808.0 and < 9223372036854775808.0 ? (long)number : long.MinValue;

    private void WriteTable(ref ReplyWriter reply, LuaTable table, int depth)
    {
        if (table.Get(names.Err) is { IsString: true } error)
            WriteError(ref reply, error.String.Bytes, table.Get(names.IsCounted).IsTruthy);
        else if (table.Get(names.Ok) is { IsString: true } status)
            WriteStatus(ref reply, status.String.Bytes);
        else if (table.Get(names.Double) is { IsNumber: true } number)
            reply.Double(number.Number);
        else if (table.Get(names.Map) is { IsTable: true } map)
            WriteMap(ref reply, map.Table, depth);
        else if (table.Get(names.Set) is { IsTable: true } set)
            WriteSet(ref reply, set.Table, depth);
        else if (table.Get(names.BigNumber) is { IsString: true } digits)
            reply.BigNumber(WithoutLineEnds(digits.String.Bytes));
        else if (table.Get(names.VerbatimString) is { IsTable: true } verbatim
            && verbatim.Table.Get(names.String) is { IsString: true } text
            && verbatim.Table.Get(names.Format) is { IsString: true } format)
            WriteVerbatim(ref reply, format.String.Bytes, text.String.Bytes);
        else
            WriteArray(ref reply, table, depth);
    }

    private static void WriteVerbatim(
        ref ReplyWriter reply, ReadOnlySpan<byte> format, ReadOnlySpan<byte> text)
    {
        Span<byte> name = stackalloc byte[FormatLength];
        name.Fill((byte)' ');
        int end = format.IndexOf((byte)0);
        format = end < 0 ? format : format[..end];
        format[..Math.Min(format.Length, FormatLength)].CopyTo(name);
        reply.Verbatim(name, text);
    }

    private static void WriteStatus(ref ReplyWriter reply, ReadOnlySpan<byte> text)
    {
        int end = text.IndexOf((byte)0);
        reply.SimpleString(WithoutLineEnds(end < 0 ? text : text[..end]));
    }

    private static ReadOnlySpan<byte> WithoutLineEnds(ReadOnlySpan<byte> text)
    {
        if (text.IndexOfAny((byte)'\r', (byte)'\n') < 0)
            return text;
        byte[] copy = text.ToArray();
        copy.AsSpan().Replace((byte)'\r', (byte)' ');
        copy.AsSpan().Replace((byte)'\n', (byte)' ');
        return copy;
    }

    private void WriteMap(ref ReplyWriter reply, LuaTable table, int depth)
    {
        reply.MapHeader(CountOf(table));
        LuaValue key = default;
        while (table.Next(ref key, out LuaValue value))
        {
            Write(ref reply, key, depth + 1);
            Write(ref reply, value, depth + 1);
        }
    }

    private void WriteSet(ref ReplyWriter reply, LuaTable table, int depth)
    {
        reply.SetHeader(CountOf(table));
        LuaValue key = default;
        while (table.Next(ref key, out _))
            Write(ref reply, key, depth + 1);
    }

    private void WriteArray(ref ReplyWriter reply, LuaTable table, int depth)
    {
        int count = 0;
        while (!table.Get(count + 1).IsNil)
            count++;
        reply.ArrayHeader(count);
        for (int index = 1; index <= count; index++)
            Write(ref reply, table.Get(index), depth + 1);
    }

    private static long CountOf(LuaTable table)
    {
        long count = 0;
        LuaValue key = default;
        while (table.Next(ref key, out _))
            count++;
        return count;
    }
}
