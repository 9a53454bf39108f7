using Cinnabar.Memory;
using Cinnabar.Resp;

namespace Cinnabar.Messaging.Tracking;

/// <summary>Encodes the keys of an invalidation, once for all its receivers: an array of bulk strings, the
/// same in both protocols.</summary>
public static unsafe class InvalidationEncoder
{
    private const int BulkOverhead = 5;
    private const int NumberBytesMax = 20;

    /// <summary>Encodes one key.</summary>
    /// <returns>A block with one reference, which is the caller's.</returns>
    public static SharedBlock* Encode(SharedBlockPool pool, ReadOnlySpan<byte> key, out int length)
    {
        length = checked("*1\r\n"u8.Length + SizeOf(key));
        SharedBlock* block = SharedBlock.Create(pool, length);
        // SAFETY: the block has room for the sum of these sizes.
        byte* place = WriteHead(block->Data, '*', 1);
        WriteKey(place, key);
        return block;
    }

    /// <summary>Encodes several keys.</summary>
    /// <returns>A block with one reference, which is the caller's.</returns>
    public static SharedBlock* Encode(SharedBlockPool pool, IReadOnlyList<byte[]> keys, out int length)
    {
        length = 1 + RedisNumber.LengthOfInt64(keys.Count) + "\r\n"u8.Length;
        foreach (byte[] key in keys)
            length = checked(length + SizeOf(key));
        SharedBlock* block = SharedBlock.Create(pool, length);
        // SAFETY: the block has room for the sum of these sizes.
        byte* place = WriteHead(block->Data, '*', keys.Count);
        foreach (byte[] key in keys)
            place = WriteKey(place, key);
        return block;
    }

    private static int SizeOf(ReadOnlySpan<byte> key) =>
        checked(BulkOverhead + RedisNumber.LengthOfInt64(key.Length) + key.Length);

    private static byte* WriteKey(byte* place, ReadOnlySpan<byte> key)
    {
        place = WriteHead(place, '$', key.Length);
        return Write(Write(place, key), "\r\n"u8);
    }

    private static byte* WriteHead(byte* place, char kind, int count)
    {
        *place++ = (byte)kind;
        Span<byte> digits = stackalloc byte[NumberBytesMax];
        return Write(Write(place, digits[..RedisNumber.FormatInt64(count, digits)]), "\r\n"u8);
    }

    private static byte* Write(byte* place, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(new Span<byte>(place, bytes.Length));
        return place + bytes.Length;
    }
}
