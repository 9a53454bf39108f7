using System;
using Cinnabar.Platform;
using Cinnabar.Structures.Hashing;
using Cinnabar.Tests.Support;
using Xunit;

namespace Cinnabar.Tests.Property.Structures;

/// <summary>Strings hashed side by side have the hashes that they have alone.</summary>
public unsafe class SipHashProperties
{
    private const int LengthMax = 80;
    private const int GapMax = 9;

    [Fact]
    public void LanesAgreeWithTheSingleHash() => Seeded.Run(2_000, CheckLanes);

    private static void CheckLanes(ulong testSeed)
    {
        var random = new RandomSource(testSeed);
        var seed = new HashSeed(random.Next(), random.Next());
        int length = (int)random.NextBelow(LengthMax + 1);
        byte[] bytes = new byte[SipHash.LaneCount * (LengthMax + GapMax)];
        for (int index = 0; index < bytes.Length; index++)
            bytes[index] = (byte)random.Next();
        // SAFETY: the strings, apart by gaps, lie within the pinned bytes.
        fixed (byte* start = bytes)
        {
            byte** strings = stackalloc byte*[SipHash.LaneCount];
            ulong* hashes = stackalloc ulong[SipHash.LaneCount];
            byte* next = start;
            for (int lane = 0; lane < SipHash.LaneCount; lane++)
            {
                strings[lane] = next + random.NextBelow(GapMax);
                next = strings[lane] + length;
            }

            SipHash.HashLanes(strings, length, in seed, hashes);
            for (int lane = 0; lane < SipHash.LaneCount; lane++)
            {
                ulong alone = SipHash.Hash(new ReadOnlySpan<byte>(strings[lane], length), in seed);
                Assert.Equal(alone, hashes[lane]);
            }
        }
    }
}
