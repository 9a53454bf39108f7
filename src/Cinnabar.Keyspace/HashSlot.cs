// Source: the specification of Redis Cluster, "Key distribution model" and "Hash tags".

namespace Cinnabar.Keyspace;

/// <summary>Which of a cluster's hash slots a key belongs to.</summary>
public static class HashSlot
{
    /// <summary>How many slots there are.</summary>
    public const int Count = 16_384;

    private const int Polynomial = 0x1021;

    /// <summary>The slot of a key, from 0: the CRC16 (XMODEM) of what stands between its first <c>{</c> and
    /// the first <c>}</c> behind it, or of the whole key where one of them is missing or there is nothing
    /// between them.</summary>
    public static int Of(ReadOnlySpan<byte> key)
    {
        int open = key.IndexOf((byte)'{');
        int length = open < 0 ? 0 : key[(open + 1)..].IndexOf((byte)'}');
        return Crc16(length > 0 ? key.Slice(open + 1, length) : key) % Count;
    }

    private static int Crc16(ReadOnlySpan<byte> bytes)
    {
        int crc = 0;
        foreach (byte value in bytes)
        {
            crc ^= value << 8;
            for (int bit = 0; bit < 8; bit++)
                crc = (crc << 1) ^ ((crc & 0x8000) == 0 ? 0 : Polynomial);
            crc &= 0xFFFF;
        }

        return crc;
    }
}
