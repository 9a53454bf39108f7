// Versions. A file begins with "REDIS" and four digits, or, from Valkey 9 on, "VALKEY" and three; a DUMP
// payload ends with the number alone. Redis counts on from 1: 13 is Redis 8.6's; Valkey went from 11 to 80
// and leaves 12 to 79 to Redis. So the number alone says the dialect.
//
//   5    CRC64 at the end                      10   Redis 7.0: listpacks, functions
//   6    quicklists, LZF as ever               11   Redis 7.2, Valkey 7.2 to 8.1
//   7    AUX fields, RESIZEDB                  12   Redis 7.4: deadlines of fields
//   8    64-bit lengths, binary scores         13   Redis 8.6: idempotent producers, metadata of keys
//   9    Redis 5: streams, LRU and LFU         80   Valkey 9: deadlines of fields, slot imports

namespace Cinnabar.Persistence.Rdb;

/// <summary>A version of the format.</summary>
/// <param name="Number">As it stands in the file.</param>
public readonly record struct RdbVersion(int Number)
{
    /// <summary>The newest version of Redis that is read and written.</summary>
    public const int RedisMax = 13;

    /// <summary>The version of Valkey that is read.</summary>
    public const int Valkey = 80;

    /// <summary>Bytes of a file before its first opcode.</summary>
    public const int HeaderSize = 9;

    /// <summary>The first version with a checksum at the end of a file.</summary>
    public const int ChecksumMin = 5;

    private const int ValkeyFirst = 80;
    private const int Valkey22 = 22;

    /// <summary>Whose numbers the file uses.</summary>
    public RdbDialect Dialect => Number >= ValkeyFirst ? RdbDialect.Valkey : RdbDialect.Redis;

    /// <summary>Whether the version is one of those that are read (`rdb-version-check strict`).</summary>
    public bool IsKnown => Number is >= 1 and <= RedisMax or Valkey;

    /// <summary>Whether the version is read.</summary>
    /// <param name="isRelaxed">Whether newer versions of Redis are, too (<c>relaxed</c>).</param>
    public bool IsRead(bool isRelaxed) => IsKnown || (isRelaxed && Number > RedisMax);

    /// <summary>Reads the first bytes of a file.</summary>
    /// <param name="header"><see cref="HeaderSize"/> bytes.</param>
    /// <param name="version">The version, known or not.</param>
    /// <returns>False: this is no RDB file.</returns>
    public static bool TryParse(ReadOnlySpan<byte> header, out RdbVersion version)
    {
        version = default;
        if (header.Length < HeaderSize)
            return false;
        bool isValkey = header.StartsWith("VALKEY"u8);
        if (!isValkey && !header.StartsWith("REDIS"u8))
            return false;
        int number = 0;
        foreach (byte digit in header[(isValkey ? "VALKEY"u8.Length : "REDIS"u8.Length)..HeaderSize])
        {
            if (digit is < (byte)'0' or > (byte)'9')
                return false;
            number = number * 10 + digit - '0';
        }

        version = new RdbVersion(number);
        return number > 0 && (version.Dialect == RdbDialect.Valkey) == isValkey;
    }

    /// <summary>The type that a byte stands for in this version's dialect.</summary>
    /// <returns>False: the byte is no type that is known.</returns>
    public bool TryTypeOf(byte value, out RdbType type)
    {
        bool isValkey = Dialect == RdbDialect.Valkey;
        type = isValkey && value == Valkey22 ? RdbType.ValkeyHash2 : (RdbType)value;
        int last = isValkey ? Valkey22 : (int)RdbType.StreamListpacks4;
        return value <= last && value != (int)RdbType.Module2 + 1;
    }
}
