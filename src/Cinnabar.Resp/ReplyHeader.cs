namespace Cinnabar.Resp;

// A header is a type character, a number, CR and LF. Nearly all numbers have one to three digits; these
// headers are composed in a register and stored at once, which may overwrite bytes after the header: hence
// RoomMin.

/// <summary>Writes the headers of bulks, arrays and the like.</summary>
internal static unsafe class ReplyHeader
{
    /// <summary>The longest header: <c>*2147483647 CRLF</c>.</summary>
    internal const int SizeMax = 13;

    /// <summary>Bytes of space that writing a header needs.</summary>
    internal const int RoomMin = 16;

    /// <summary>Writes type, number and line end. At most 13 bytes, but up to 16 may be
    /// overwritten.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static byte* Write(byte* p, char type, uint count)
    {
        // SAFETY: the caller has RoomMin bytes at p, which is more than any store below touches.
        if (count < 10)
        {
            *(uint*)p = 0x0A0D3000u + type + (count << 8);
            return p + 4;
        }

        if (count < 100)
        {
            uint tens = count / 10;
            *(ulong*)p = 0x0A_0D303000UL + type + (tens << 8) + ((count - tens * 10) << 16);
            return p + 5;
        }

        if (count < 1000)
        {
            uint hundreds = count / 100;
            uint rest = count - hundreds * 100;
            uint restTens = rest / 10;
            *(ulong*)p = 0x0A0D_30303000UL + type + (hundreds << 8) + (restTens << 16)
                + ((ulong)(rest - restTens * 10) << 24);
            return p + 6;
        }

        return WriteLong(p, type, count);
    }

    private static byte* WriteLong(byte* p, char type, uint count)
    {
        *p = (byte)type;
        p = RedisNumber.WriteUInt64(p + 1, count);
        *(ushort*)p = 0x0A0D;
        return p + sizeof(ushort);
    }
}
