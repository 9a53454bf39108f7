namespace Cinnabar.Structures.HyperLogLogs;

/// <summary>What adding an element means: which register becomes at least which value.</summary>
public readonly record struct HyperLogLogElement
{
    private const ulong Seed = 0xadc83b19;

    /// <param name="element">Any bytes.</param>
    public HyperLogLogElement(ReadOnlySpan<byte> element)
    {
        ulong hash = MurmurHash64A.Hash(element, Seed);
        Register = (int)(hash & (HyperLogLog.RegisterCount - 1));
        // The bit above the 50 that are left stops the count if all of them are 0.
        ulong rest = hash >> HyperLogLog.RegisterBits | 1UL << (64 - HyperLogLog.RegisterBits);
        Value = (byte)(BitOperations.TrailingZeroCount(rest) + 1);
    }

    /// <summary>The register, from 0.</summary>
    public int Register { get; }

    /// <summary>The rank, 1 to 51.</summary>
    public byte Value { get; }
}
