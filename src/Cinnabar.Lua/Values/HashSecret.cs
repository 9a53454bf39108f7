namespace Cinnabar.Lua.Values;

/// <summary>
/// The secret of the process in the hashes of strings and numbers. Without it no client can choose keys that
/// all have one hash: each step multiplies by a secret number and folds the product's halves, so the
/// difference of two inputs becomes a difference that depends on the secret.
///
/// The order of next is that of insertion: it does not depend on hashes.
/// </summary>
internal static class HashSecret
{
    private static readonly ulong s_start = Draw();
    private static readonly ulong s_factor = Draw() | 1;

    /// <summary>Spreads a value over 64 bits.</summary>
    public static ulong Fold(ulong value)
    {
        ulong high = Math.BigMul(value ^ s_start, s_factor, out ulong low);
        return high ^ low;
    }

    /// <summary>Spreads a value over all of 64 bits: after one step the lowest bits of inputs in equal
    /// distances are in equal distances too, and have few values where the secret makes the distance
    /// even.</summary>
    public static ulong FoldTwice(ulong value) => Fold(Fold(value));

    // The system's random numbers; the fixed bits of an identifier meet random ones.
    private static ulong Draw()
    {
        Span<byte> bytes = stackalloc byte[16];
        bool isWritten = Guid.NewGuid().TryWriteBytes(bytes);
        Debug.Assert(isWritten);
        return MemoryMarshal.Read<ulong>(bytes) ^ MemoryMarshal.Read<ulong>(bytes[8..]);
    }
}
