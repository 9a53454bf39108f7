// Messages are encoded once, as RESP3 pushes, into a shared block that all subscribers' outputs refer to;
// the first byte is another one for a RESP2 client:
//
//   >3 $7 message  $n <channel> $m <payload>
//   >3 $8 smessage $n <channel> $m <payload>
//   >4 $8 pmessage $p <pattern> $n <channel> $m <payload>

using Cinnabar.Memory;
using Cinnabar.Resp;

namespace Cinnabar.Messaging;

/// <summary>Encodes messages.</summary>
internal static unsafe class MessageEncoder
{
    private const int BulkOverhead = 5;
    private const int NumberBytesMax = 20;

    private static ReadOnlySpan<byte> MessageHead => ">3\r\n$7\r\nmessage\r\n"u8;

    private static ReadOnlySpan<byte> ShardMessageHead => ">3\r\n$8\r\nsmessage\r\n"u8;

    private static ReadOnlySpan<byte> PatternMessageHead => ">4\r\n$8\r\npmessage\r\n"u8;

    /// <summary>Encodes a message for a channel's subscribers.</summary>
    /// <returns>A block with one reference, which is the caller's.</returns>
    public static SharedBlock* Encode(
        SharedBlockPool pool, ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload, out int length) =>
        Encode(pool, MessageHead, channel, payload, out length);

    /// <summary>Encodes a message for a shard channel's subscribers.</summary>
    /// <returns>A block with one reference, which is the caller's.</returns>
    public static SharedBlock* EncodeForShard(
        SharedBlockPool pool, ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload, out int length) =>
        Encode(pool, ShardMessageHead, channel, payload, out length);

    /// <summary>Encodes a message for a pattern's subscribers.</summary>
    /// <returns>A block with one reference, which is the caller's.</returns>
    public static SharedBlock* EncodeForPattern(SharedBlockPool pool, ReadOnlySpan<byte> pattern,
        ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload, out int length)
    {
        length = checked(PatternMessageHead.Length + BulkSize(pattern) + BulkSize(channel)
            + BulkSize(payload));
        SharedBlock* block = SharedBlock.Create(pool, length);
        // SAFETY: the block has room for the sum of these sizes.
        byte* place = Write(block->Data, PatternMessageHead);
        place = WriteBulk(place, pattern);
        place = WriteBulk(place, channel);
        WriteBulk(place, payload);
        return block;
    }

    private static SharedBlock* Encode(SharedBlockPool pool, ReadOnlySpan<byte> head,
        ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload, out int length)
    {
        length = checked(head.Length + BulkSize(channel) + BulkSize(payload));
        SharedBlock* block = SharedBlock.Create(pool, length);
        // SAFETY: the block has room for the sum of these sizes.
        byte* place = Write(block->Data, head);
        place = WriteBulk(place, channel);
        WriteBulk(place, payload);
        return block;
    }

    private static int BulkSize(ReadOnlySpan<byte> bytes) =>
        checked(BulkOverhead + RedisNumber.LengthOfInt64(bytes.Length) + bytes.Length);

    private static byte* WriteBulk(byte* place, ReadOnlySpan<byte> bytes)
    {
        *place++ = (byte)'$';
        Span<byte> digits = stackalloc byte[NumberBytesMax];
        place = Write(place, digits[..RedisNumber.FormatInt64(bytes.Length, digits)]);
        place = Write(place, "\r\n"u8);
        place = Write(place, bytes);
        return Write(place, "\r\n"u8);
    }

    private static byte* Write(byte* place, ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(new Span<byte>(place, bytes.Length));
        return place + bytes.Length;
    }
}
