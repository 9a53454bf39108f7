using System.Buffers.Binary;
using System.Text;

namespace Cinnabar.Tests.Support.Durability;

/// <summary>Payloads for RESTORE, made independently of the product.</summary>
public static class DumpedPayload
{
    // Jones's polynomial, reflected.
    private const ulong Polynomial = 0x95AC9329AC4BC9B5;

    /// <summary>The payload of a value, each char a byte.</summary>
    /// <param name="type">Its type byte.</param>
    /// <param name="value">Its bytes.</param>
    /// <param name="version">For the footer.</param>
    public static string Of(byte type, byte[] value, int version) => Sealed([type, .. value], version);

    /// <summary>Puts a footer behind type and value.</summary>
    public static string Sealed(byte[] body, int version)
    {
        byte[] whole = [.. body, (byte)version, (byte)(version >> 8)];
        var checksum = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(checksum, Crc(whole));
        return Encoding.Latin1.GetString([.. whole, .. checksum]);
    }

    private static ulong Crc(byte[] bytes)
    {
        ulong crc = 0;
        foreach (byte value in bytes)
        {
            crc ^= value;
            for (int bit = 0; bit < 8; bit++)
                crc = (crc >> 1) ^ ((crc & 1) != 0 ? Polynomial : 0);
        }

        return crc;
    }
}
