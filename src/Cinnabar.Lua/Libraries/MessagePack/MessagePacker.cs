using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.MessagePack;

/// <summary>Writes values as MessagePack.</summary>
/// <remarks>
/// A table whose keys are exactly 1 to n is an array. Tables are written up to 16 within each other, a deeper
/// one as nil, so recursion is bounded. An integer of 64 bits is written as one, another number as a float
/// where that loses nothing; what has no form is nil.
/// </remarks>
internal ref struct MessagePacker
{
    private const int DepthMax = 16;
    private const int HeadMax = 9;

    private readonly LuaCall _call;
    private TextBuilder _text;
    private int _work;

    internal MessagePacker(LuaCall call)
    {
        _call = call;
        _text = new TextBuilder(call);
    }

    /// <summary>Appends a value.</summary>
    internal void Append(LuaValue value) => Append(value, 0);

    /// <summary>The string of all that was appended.</summary>
    internal LuaValue End() => _text.End();

    private void Append(LuaValue value, int depth)
    {
        if ((++_work & 63) == 0) _call.Step(64);
        switch (value.Type)
        {
            case LuaType.String:
                AppendText(value.String.Bytes);
                break;
            case LuaType.Boolean:
                _text.Append((byte)(value.Boolean ? 0xC3 : 0xC2));
                break;
            case LuaType.Number:
                AppendNumber(value.Number);
                break;
            case LuaType.Table when depth < DepthMax:
                AppendTable(value.Table, depth);
                break;
            default:
                _text.Append((byte)0xC0);
                break;
        }
    }

    private void AppendTable(LuaTable table, int depth)
    {
        Debug.Assert(depth < DepthMax, "What is deeper is written as nil.");
        if (IsArray(table, out long pairs))
        {
            int length = (int)pairs;
            AppendHead(length, 0x90, 0xDC);
            for (int i = 1; i <= length; i++) Append(table.Get(i), depth + 1);
            return;
        }
        AppendHead(pairs, 0x80, 0xDE);
        LuaValue key = LuaValue.Nil;
        while (table.Next(ref key, out LuaValue value))
        {
            Append(key, depth + 1);
            Append(value, depth + 1);
        }
    }

    private bool IsArray(LuaTable table, out long pairs)
    {
        bool isArray = true;
        double max = 0;
        pairs = 0;
        LuaValue key = LuaValue.Nil;
        while (table.Next(ref key, out _))
        {
            if ((++pairs & 255) == 0) _call.Step(64);
            isArray = isArray && key.IsNumber && key.Number > 0 && key.Number == Math.Floor(key.Number);
            if (isArray) max = Math.Max(max, key.Number);
        }
        return isArray && max == pairs;
    }

    // small: the form of up to 15, with the number in it; wide: that of 16 bits; the next one is that of 32.
    private void AppendHead(long count, byte small, byte wide)
    {
        Span<byte> room = _text.Reserve(HeadMax);
        if (count <= 15)
        {
            room[0] = (byte)(small | (int)count);
            _text.Advance(1);
        }
        else if (count <= ushort.MaxValue)
        {
            AppendTagged(wide, (ulong)count, sizeof(ushort));
        }
        else
        {
            AppendTagged((byte)(wide + 1), (ulong)count, sizeof(uint));
        }
    }

    private void AppendTagged(byte tag, ulong value, int size)
    {
        Span<byte> room = _text.Reserve(HeadMax);
        room[0] = tag;
        for (int i = size; i > 0; i--)
        {
            room[i] = (byte)value;
            value >>= 8;
        }
        _text.Advance(1 + size);
    }

    private void AppendText(ReadOnlySpan<byte> text)
    {
        if (text.Length < 32) _text.Append((byte)(0xA0 | text.Length));
        else if (text.Length <= byte.MaxValue) AppendTagged(0xD9, (ulong)text.Length, 1);
        else if (text.Length <= ushort.MaxValue) AppendTagged(0xDA, (ulong)text.Length, 2);
        else AppendTagged(0xDB, (ulong)text.Length, 4);
        _text.Append(text);
        _work += text.Length >> 8;
    }

    private void AppendNumber(double value)
    {
        long integer = LuaCall.ToInteger(value);
        if (integer == value && value < 9223372036854775808.0)
        {
            AppendInteger(integer);
            return;
        }
        float narrow = (float)value;
        if (narrow == value) AppendTagged(0xCA, BitConverter.SingleToUInt32Bits(narrow), sizeof(float));
        else AppendTagged(0xCB, BitConverter.DoubleToUInt64Bits(value), sizeof(double));
    }

    private void AppendInteger(long value)
    {
        if (value is >= -32 and <= sbyte.MaxValue) _text.Append((byte)value);
        else if (value >= 0) AppendUnsigned((ulong)value);
        else if (value >= sbyte.MinValue) AppendTagged(0xD0, (ulong)value, 1);
        else if (value >= short.MinValue) AppendTagged(0xD1, (ulong)value, 2);
        else if (value >= int.MinValue) AppendTagged(0xD2, (ulong)value, 4);
        else AppendTagged(0xD3, (ulong)value, 8);
    }

    private void AppendUnsigned(ulong value)
    {
        if (value <= byte.MaxValue) AppendTagged(0xCC, value, 1);
        else if (value <= ushort.MaxValue) AppendTagged(0xCD, value, 2);
        else if (value <= uint.MaxValue) AppendTagged(0xCE, value, 4);
        else AppendTagged(0xCF, value, 8);
    }
}
