using System;
using System.Collections.Generic;
using System.Text;
using Cinnabar.Structures.Ziplists;
using Xunit;

namespace Cinnabar.Tests.Unit.Structures.Ziplists;

/// <summary>Zipmaps from outside are read as Redis reads them, or refused.</summary>
public sealed class ZipmapTests
{
    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(3, 253, 2)]
    [InlineData(253, 254, 0)]
    [InlineData(254, 3, 4)]
    [InlineData(300, 70_000, 255)]
    public void PairsAreRead(int fieldLength, int valueLength, byte freeCount)
    {
        byte[] bytes = Bytes(
            LengthOf(fieldLength), fieldLength, LengthOf(valueLength), valueLength, freeCount);
        Assert.Equal<(int, int)>([(fieldLength, valueLength)], Read(bytes) ?? []);
        // All that is cut off is missed.
        for (int length = 0; length < bytes.Length; length += length < 300 ? 1 : 997)
            Assert.Null(Read(bytes[..length]));
    }

    /// <summary>Four bytes for a length that one byte holds, as Redis refuses them since 2026.</summary>
    [Theory]
    [InlineData(4, false, true)]
    [InlineData(4, true, false)]
    [InlineData(253, false, true)]
    [InlineData(253, true, false)]
    public void AShortLengthHasOneByte(int length, bool isFieldLong, bool isValueLong)
    {
        byte[] bytes = Bytes(isFieldLong ? LongFormOf(length) : LengthOf(length), length,
            isValueLong ? LongFormOf(length) : LengthOf(length), length, freeCount: 0);
        Assert.Null(Read(bytes));
    }

    private static (int Field, int Value)[]? Read(byte[] bytes)
    {
        var zipmap = new Zipmap(bytes);
        var pairs = new List<(int Field, int Value)>();
        while (zipmap.MoveNext())
        {
            Assert.Equal(zipmap.Field.Length, zipmap.Field.Count((byte)'f'));
            Assert.Equal(zipmap.Value.Length, zipmap.Value.Count((byte)'v'));
            pairs.Add((zipmap.Field.Length, zipmap.Value.Length));
        }

        return zipmap.IsSound ? [.. pairs] : null;
    }

    private static byte[] Bytes(
        byte[] fieldLength, int fieldCount, byte[] valueLength, int valueCount, byte freeCount) =>
    [
        1, .. fieldLength, .. Encoding.ASCII.GetBytes(new string('f', fieldCount)), .. valueLength, freeCount,
        .. Encoding.ASCII.GetBytes(new string('v', valueCount)), .. new byte[freeCount], 0xFF,
    ];

    private static byte[] LengthOf(int length) => length < 254 ? [(byte)length] : LongFormOf(length);

    private static byte[] LongFormOf(int length) => [254, .. BitConverter.GetBytes(length)];
}
