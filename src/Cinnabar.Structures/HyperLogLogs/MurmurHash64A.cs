// MurmurHash2 for 64-bit machines, variant A, by Austin Appleby, who placed it in the public domain: 8 bytes
// a step, multiplied and folded into the state, then the up to 7 bytes that are left as one more number.
// Redis chose it for HyperLogLogs, whose bytes depend on it; it is unsafe where clients choose keys to
// collide.
using System.Buffers.Binary;

namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>The hash function of Redis's HyperLogLogs.</summary>
public static class MurmurHash64A
{
    private const ulong Multiplier = 0xc6a4a7935bd1e995;
    private const int Shift = 47;

    /// <summary>The hash of some bytes.</summary>
    public static ulong Hash(ReadOnlySpan<byte> data, ulong seed)
    {
        ulong hash = seed ^ (ulong)data.Length * Multiplier;
        for (; data.Length >= sizeof(ulong); data = data[sizeof(ulong)..])
        {
            ulong word = BinaryPrimitives.ReadUInt64LittleEndian(data) * Multiplier;
            word = (word ^ word >> Shift) * Multiplier;
            hash = (hash ^ word) * Multiplier;
        }
        if (data.Length > 0)
        {
            ulong rest = 0;
            for (int index = 0; index < data.Length; index++) rest |= (ulong)data[index] << 8 * index;
            hash = (hash ^ rest) * Multiplier;
        }
        hash = (hash ^ hash >> Shift) * Multiplier;
        return hash ^ hash >> Shift;
    }
}
