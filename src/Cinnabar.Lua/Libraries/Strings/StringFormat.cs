using Cinnabar.Lua.Libraries.Results;
using Cinnabar.Lua.Running;
using Cinnabar.Lua.Values;

namespace Cinnabar.Lua.Libraries.Strings;

/// <summary><c>string.format</c>.</summary>
internal static class StringFormat
{
    // A longer string without a precision is taken as it is.
    private const int PaddedMax = 100;

    /// <summary><c>string.format(format, …)</c></summary>
    internal static int Format(LuaCall call)
    {
        ReadOnlySpan<byte> format = call.CheckString(0).Bytes;
        var builder = new TextBuilder(call);
        int argument = 0;
        while (true)
        {
            int escape = format.IndexOf((byte)'%');
            if (escape < 0) break;
            builder.Append(format[..escape]);
            format = format[(escape + 1)..];
            if (!format.IsEmpty && format[0] == '%')
            {
                builder.Append((byte)'%');
                format = format[1..];
                continue;
            }
            argument++;
            if (argument >= call.Count) throw call.ArgumentError(argument, "no value");
            int at = CFormat.Read(format, out CFormat directive, out string? mistake);
            if (mistake is not null) throw call.Error(mistake);
            byte conversion = at < format.Length ? format[at] : (byte)0;
            Append(call, argument, ref builder, directive, conversion);
            format = format[(at + 1)..];
        }
        builder.Append(format);
        return call.Return(builder.End());
    }

    private static void Append(
        LuaCall call, int argument, ref TextBuilder builder, CFormat directive, byte conversion)
    {
        Span<byte> room;
        switch (conversion)
        {
            case (byte)'c':
                byte letter = (byte)LuaCall.ToInteger(call.CheckNumber(argument));
                room = builder.Reserve(CFormat.LengthMax);
                builder.Advance(Ended(room[..directive.WriteByte(letter, room)]));
                break;
            case (byte)'d' or (byte)'i':
                long number = LuaCall.ToInteger(call.CheckNumber(argument));
                builder.Advance(directive.WriteSigned(number, builder.Reserve(CFormat.LengthMax)));
                break;
            case (byte)'o' or (byte)'u' or (byte)'x' or (byte)'X':
                ulong bits = ToUInt64(call.CheckNumber(argument));
                builder.Advance(directive.WriteUnsigned(bits, conversion,
                    builder.Reserve(CFormat.LengthMax)));
                break;
            case (byte)'e' or (byte)'E' or (byte)'f' or (byte)'g' or (byte)'G':
                double real = call.CheckNumber(argument);
                builder.Advance(directive.WriteReal(real, conversion, builder.Reserve(CFormat.LengthMax)));
                break;
            case (byte)'q':
                AppendQuoted(call.CheckString(argument).Bytes, ref builder);
                break;
            case (byte)'s':
                AppendText(call.CheckString(argument).Bytes, directive, ref builder);
                break;
            default:
                string name = conversion == 0 ? "" : ((char)conversion).ToString();
                throw call.Error($"invalid option '%{name}' to 'format'");
        }
    }

    // C's strings end at their first zero byte.
    private static int Ended(ReadOnlySpan<byte> text)
    {
        int end = text.IndexOf((byte)0);
        return end < 0 ? text.Length : end;
    }

    private static void AppendText(ReadOnlySpan<byte> text, CFormat directive, ref TextBuilder builder)
    {
        if (!directive.HasPrecision && text.Length >= PaddedMax)
        {
            builder.Append(text);
            return;
        }
        text = text[..Ended(text)];
        builder.Advance(directive.WriteText(text, builder.Reserve(CFormat.LengthMax)));
    }

    private static void AppendQuoted(ReadOnlySpan<byte> text, ref TextBuilder builder)
    {
        builder.Append((byte)'"');
        while (true)
        {
            int special = text.IndexOfAny("\"\\\n\r\0"u8);
            if (special < 0) break;
            builder.Append(text[..special]);
            switch (text[special])
            {
                case (byte)'\r':
                    builder.Append("\\r"u8);
                    break;
                case 0:
                    builder.Append("\\000"u8);
                    break;
                default:
                    builder.Append((byte)'\\');
                    builder.Append(text[special]);
                    break;
            }
            text = text[(special + 1)..];
        }
        builder.Append(text);
        builder.Append((byte)'"');
    }

    // As the compiler of the original does on this processor.
    private static ulong ToUInt64(double value)
    {
        const double half = 9223372036854775808.0;
        if (!(value >= half)) return (ulong)LuaCall.ToInteger(value);
        return (ulong)LuaCall.ToInteger(value - half) ^ 0x8000_0000_0000_0000;
    }
}
