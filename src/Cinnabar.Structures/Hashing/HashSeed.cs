using Cinnabar.Platform;

namespace Cinnabar.Structures.Hashing;

/// <summary>
/// The 128-bit secret of one server's hash function. It must stay secret: a client that knows the seed can
/// choose keys that all collide. Tests and replayed simulations give a known one.
/// </summary>
public readonly struct HashSeed(ulong k0, ulong k1)
{
    /// <summary>The first half of the secret.</summary>
    public readonly ulong K0 = k0;

    /// <summary>The second half of the secret.</summary>
    public readonly ulong K1 = k1;

    /// <summary>A seed from the system's cryptographic random source.</summary>
    public static HashSeed Random()
    {
        Span<ulong> words = stackalloc ulong[2];
        SystemRandom.Fill(MemoryMarshal.AsBytes(words));
        return new HashSeed(words[0], words[1]);
    }
}
