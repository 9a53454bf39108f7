using System.Buffers.Binary;
using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.MessagePack;

/// <summary>Reads values of MessagePack. Arrays and maps within each other are kept in a list that is charged
/// to the script; a count that the data do not hold costs nothing, because tables grow as their values
/// come.</summary>
internal ref struct MessageUnpacker
{
    private const int FramesMin = 8;
    private const int FrameBytes = 40;

    private readonly LuaCall _call;
    private readonly ReadOnlySpan<byte> _data;
    private MessageFrame[] _frames;
    private int _depth;
    private int _work;

    internal MessageUnpacker(LuaCall call, ReadOnlySpan<byte> data, int place)
    {
        Debug.Assert(place >= 0 && place <= data.Length, "It begins inside the data.");
        _call = call;
        _data = data;
        _frames = [];
        Place = place;
    }

    /// <summary>How much has been read.</summary>
    internal int Place { get; private set; }

    /// <summary>Whether all has been read.</summary>
    internal readonly bool IsAtEnd => Place == _data.Length;

    /// <summary>Reads a value.</summary>
    /// <param name="before">How many values have been read before: they would take stack in C.</param>
    internal LuaValue Read(int before)
    {
        Debug.Assert(_depth == 0, "The last value was read to its end.");
        LuaValue value;
        do
        {
            if ((++_work & 63) == 0) _call.Step(64);
            CheckStack(before, 1, "too many return values at once; use unpack_one or unpack_limit instead.");
        }
        while (!ReadOne(before, out value) || !Store(ref value));
        return value;
    }

    // In C the text is on the stack, the results so far, and for each open table two values, of which the
    // second is the key: a map waits for it.
    private readonly void CheckStack(int before, int need, string reason)
    {
        int waiting = _depth > 0 && _frames[_depth - 1] is { Index: 0 } top && (top.Left & 1) == 0 ? 1 : 0;
        if (1 + before + 2 * _depth - waiting + need > LibraryTable.StackMax)
            throw _call.Error($"stack overflow ({reason})");
    }

    // Puts a value into the table that it belongs to; true when the outermost value is complete.
    private readonly bool TryPut(ref MessageFrame frame, LuaValue value)
    {
        frame.Left--;
        if (frame.Index > 0) frame.Table.Set(frame.Index++, value);
        else if ((frame.Left & 1) != 0) frame.Key = value;
        else frame.Table.Set(frame.Key, value);
        return frame.Left == 0;
    }

    private bool Store(ref LuaValue value)
    {
        while (_depth > 0)
        {
            ref MessageFrame frame = ref _frames[_depth - 1];
            if (!TryPut(ref frame, value)) return false;
            value = LuaValue.From(frame.Table);
            _depth--;
        }
        return true;
    }

    // False when a table has been opened that has values.
    private bool ReadOne(int before, out LuaValue value)
    {
        byte tag = Take(1)[0];
        value = LuaValue.Nil;
        switch (tag)
        {
            case <= 0x7F or >= 0xE0:
                value = (double)(sbyte)tag;
                return true;
            case <= 0x8F:
                return Open(2L * (tag & 15), isArray: false, before, ref value);
            case <= 0x9F:
                return Open(tag & 15, isArray: true, before, ref value);
            case <= 0xBF:
                value = TakeText((uint)tag & 31);
                return true;
            case 0xC0:
                return true;
            case 0xC2 or 0xC3:
                value = LuaValue.FromBoolean(tag == 0xC3);
                return true;
            case 0xCA:
                value = (double)BinaryPrimitives.ReadSingleBigEndian(Take(sizeof(float)));
                return true;
            case 0xCB:
                value = BinaryPrimitives.ReadDoubleBigEndian(Take(sizeof(double)));
                return true;
            case >= 0xCC and <= 0xCF:
                // Of 64 bits it comes out signed, as from the original.
                value = (double)(long)TakeUnsigned(1 << (tag - 0xCC));
                return true;
            case >= 0xD0 and <= 0xD3:
                int unused = 64 - (8 << (tag - 0xD0));
                value = (double)((long)TakeUnsigned(1 << (tag - 0xD0)) << unused >> unused);
                return true;
            case >= 0xD9 and <= 0xDB:
                value = TakeText((uint)TakeUnsigned(1 << (tag - 0xD9)));
                return true;
            case 0xDC or 0xDD:
                return Open((long)TakeUnsigned(2 << (tag - 0xDC)), isArray: true, before, ref value);
            case 0xDE or 0xDF:
                return Open(2 * (long)TakeUnsigned(2 << (tag - 0xDE)), isArray: false, before, ref value);
            default:
                throw _call.Error("Bad data format in input.");
        }
    }

    private bool Open(long left, bool isArray, int before, ref LuaValue value)
    {
        LuaTable table = _call.NewTable();
        if (isArray) CheckStack(before, 2, "in function mp_decode_to_lua_array");
        if (left == 0)
        {
            value = LuaValue.From(table);
            return true;
        }
        if (_depth == _frames.Length)
        {
            int size = Math.Max(FramesMin, 2 * _depth);
            _call.Charge((long)size * FrameBytes);
            Array.Resize(ref _frames, size);
        }
        _frames[_depth++] = new MessageFrame { Table = table, Left = left, Index = isArray ? 1 : 0 };
        return false;
    }

    private ReadOnlySpan<byte> Take(int size)
    {
        if (_data.Length - Place < size) throw _call.Error("Missing bytes in input.");
        Place += size;
        return _data.Slice(Place - size, size);
    }

    private ulong TakeUnsigned(int size)
    {
        ulong value = 0;
        foreach (byte part in Take(size)) value = value << 8 | part;
        return value;
    }

    private LuaValue TakeText(uint length)
    {
        if (length > (uint)(_data.Length - Place)) throw _call.Error("Missing bytes in input.");
        return _call.NewString(Take((int)length));
    }
}
