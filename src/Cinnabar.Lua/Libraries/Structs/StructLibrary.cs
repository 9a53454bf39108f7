using System.Buffers.Binary;
using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Structs;

/// <summary>The library <c>struct</c>: values to bytes and back by a format.</summary>
internal static class StructLibrary
{
    /// <summary>Opens the library.</summary>
    internal static LuaTable Open(LuaMachine machine) =>
        LibraryTable.Make(machine, [("pack", Pack), ("size", Size), ("unpack", Unpack)]);

    private static int Size(LuaCall call)
    {
        var format = new StructFormat(call, call.CheckString(0));
        long size = 0;
        while (format.Read())
        {
            size += format.Padding(size);
            if (format.Option == 's') throw call.ArgumentError(0, "option 's' has no fixed size");
            if (format.Option == 'c' && format.Size == 0)
                throw call.ArgumentError(0, "option 'c0' has no fixed size");
            // Letters that are no option are let pass here.
            if (!char.IsAsciiLetterOrDigit((char)format.Option)) format.Control();
            size += format.Size;
            call.Step(1);
        }
        return call.Return((double)size);
    }

    private static int Pack(LuaCall call)
    {
        var format = new StructFormat(call, call.CheckString(0));
        var builder = new TextBuilder(call);
        int argument = 1;
        while (format.Read())
        {
            AppendZeros(ref builder, format.Padding(builder.Length));
            PackOne(call, ref format, ref builder, ref argument);
            call.Step(1);
        }
        return call.Return(builder.End());
    }

    private static void AppendZeros(ref TextBuilder builder, int count)
    {
        builder.Reserve(count)[..count].Clear();
        builder.Advance(count);
    }

    private static void PackOne(
        LuaCall call, ref StructFormat format, ref TextBuilder builder, ref int argument)
    {
        if (format.IsControl)
        {
            format.Control();
            return;
        }
        if (format.Option == 'x')
        {
            builder.Append((byte)0);
            return;
        }
        // Behind the arguments there is a nil.
        if (argument == call.Count)
            throw call.ArgumentError(argument, format.Option is (byte)'c' or (byte)'s'
                ? "string expected, got nil" : "number expected, got nil");
        if (format.Option is (byte)'c' or (byte)'s') PackText(call, format, ref builder, argument);
        else PackNumber(call.CheckNumber(argument), format, ref builder);
        argument++;
    }

    private static void PackText(LuaCall call, StructFormat format, ref TextBuilder builder, int argument)
    {
        ReadOnlySpan<byte> text = call.CheckString(argument).Bytes;
        int size = format.Size == 0 ? text.Length : format.Size;
        // The number in the text is that of the next argument, as scripts know it.
        if (text.Length < size) throw call.ArgumentError(argument + 1, "string too short");
        builder.Append(text[..size]);
        if (format.Option == 's') builder.Append((byte)0);
    }

    private static void PackNumber(double value, StructFormat format, ref TextBuilder builder)
    {
        int size = format.Size;
        Span<byte> bytes = builder.Reserve(size)[..size];
        switch (format.Option)
        {
            case (byte)'f':
                BinaryPrimitives.WriteSingleLittleEndian(bytes, (float)value);
                break;
            case (byte)'d':
                BinaryPrimitives.WriteDoubleLittleEndian(bytes, value);
                break;
            default:
                ulong bits = ToUnsigned(value);
                for (int i = 0; i < size; i++)
                {
                    bytes[i] = (byte)bits;
                    bits >>= 8;
                }
                break;
        }
        if (format.IsBigEndian) bytes.Reverse();
        builder.Advance(size);
    }

    // As C converts it on this processor; what does not fit becomes 0.
    private static ulong ToUnsigned(double value)
    {
        const double half = 9223372036854775808.0;
        return value >= half
            ? (ulong)LuaCall.ToInteger(value - half) ^ 0x8000_0000_0000_0000
            : (ulong)LuaCall.ToInteger(value);
    }

    private static int Unpack(LuaCall call)
    {
        var format = new StructFormat(call, call.CheckString(0));
        ReadOnlySpan<byte> data = call.CheckString(1).Bytes;
        // As C's size_t: a negative place is far behind the end.
        ulong place = (ulong)call.OptInteger(2, 1);
        if (place == 0) throw call.ArgumentError(2, "offset must be 1 or greater");
        place--;
        var values = new ValueList(call);
        while (format.Read())
        {
            place += (ulong)format.Padding((long)place);
            CheckRoom(call, data, place, (ulong)format.Size);
            if (values.Count > LibraryTable.StackMax - 4)
                throw call.Error("stack overflow (too many results)");
            place += UnpackOne(call, ref format, data, (int)Math.Min(place, int.MaxValue), ref values);
            call.Step(1);
        }
        values.Add((double)(long)(place + 1));
        return call.Return(values.Written);
    }

    private static void CheckRoom(LuaCall call, ReadOnlySpan<byte> data, ulong place, ulong size)
    {
        if (size > (ulong)data.Length || place > (ulong)data.Length - size)
            throw call.ArgumentError(1, "data string too short");
    }

    // Returns how many bytes the value takes.
    private static ulong UnpackOne(
        LuaCall call, ref StructFormat format, ReadOnlySpan<byte> data, int place, ref ValueList values)
    {
        int size = format.Size;
        switch (format.Option)
        {
            case (byte)'x':
                break;
            case (byte)'f' or (byte)'d':
                values.Add(ReadReal(data.Slice(place, size), format.IsBigEndian));
                break;
            case (byte)'c':
                if (size == 0)
                {
                    if (values.Count == 0 || !values.Last.TryToNumber(out double length))
                        throw call.Error("format 'c0' needs a previous size");
                    ulong given = ToUnsigned(length);
                    CheckRoom(call, data, (ulong)place, given);
                    size = (int)given;
                    values.RemoveLast();
                }
                values.Add(call.NewString(data.Slice(place, size)));
                break;
            case (byte)'s':
                int end = data[place..].IndexOf((byte)0);
                if (end < 0) throw call.Error("unfinished string in data");
                values.Add(call.NewString(data.Slice(place, end)));
                size = end + 1;
                break;
            case var _ when format.IsControl:
                format.Control();
                break;
            default:
                bool isSigned = char.IsAsciiLetterLower((char)format.Option);
                values.Add(ReadInteger(data.Slice(place, size), format.IsBigEndian, isSigned));
                break;
        }
        return (ulong)size;
    }

    private static double ReadReal(ReadOnlySpan<byte> bytes, bool isBigEndian)
    {
        if (bytes.Length == sizeof(float))
            return isBigEndian
                ? BinaryPrimitives.ReadSingleBigEndian(bytes)
                    : BinaryPrimitives.ReadSingleLittleEndian(bytes);
        return isBigEndian
            ? BinaryPrimitives.ReadDoubleBigEndian(bytes) : BinaryPrimitives.ReadDoubleLittleEndian(bytes);
    }

    // Of more than eight bytes the lowest eight count. The place of the sign bit is taken modulo 64, so that
    // of an integer of nine bytes is the highest of its lowest byte, as in the original on this processor.
    private static double ReadInteger(ReadOnlySpan<byte> bytes, bool isBigEndian, bool isSigned)
    {
        ulong bits = 0;
        for (int i = 0; i < bytes.Length; i++)
            bits = bits << 8 | bytes[isBigEndian ? i : bytes.Length - 1 - i];
        if (!isSigned) return bits;
        ulong mask = ulong.MaxValue << (bytes.Length * 8 - 1);
        return (bits & mask) != 0 ? (long)(bits | mask) : (long)bits;
    }
}
