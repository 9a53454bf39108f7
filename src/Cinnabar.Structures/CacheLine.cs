using System.Runtime.Intrinsics.X86;

namespace Cinnabar.Structures;

/// <summary>Hints to the processor's cache.</summary>
public static unsafe class CacheLine
{
    /// <summary>Bytes of a line, as nearly every processor has them.</summary>
    public const int Size = 64;

    /// <summary>
    /// Begins to load the line of an address, which may be any number: a prefetch never faults. Does nothing
    /// where .NET knows no such instruction.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Prefetch(byte* address)
    {
        if (Sse.IsSupported)
            Sse.Prefetch0(address);
    }
}
