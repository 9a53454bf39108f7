using System.Runtime.Versioning;
using Cinnabar.Platform;

namespace Cinnabar.Transport.Epoll;

/// <summary>The last few descriptors, which are not for clients: the runtime opens files when it first needs
/// them, and ends the process if it cannot.</summary>
[SupportedOSPlatform("linux")]
internal static class SpareDescriptors
{
    private const int Count = 8;

    /// <summary>Descriptors from this one on are not for clients, as the limit is now.</summary>
    public static long First => FileDescriptorLimit.Read().Soft - Count;

    /// <summary>Whether a client may have a descriptor of this number.</summary>
    public static bool AllowOne(int descriptor) => descriptor < First;

    /// <summary>Whether a descriptor that is closed could be opened again.</summary>
    public static bool IsBelowLimit(int descriptor) => descriptor < FileDescriptorLimit.Read().Soft;

    /// <summary>The number that a new descriptor would have; a large number where there is none.</summary>
    /// <param name="descriptor">Any that is open.</param>
    public static int FindLowest(int descriptor)
    {
        int lowest = EpollCalls.Duplicate(descriptor);
        if (lowest < 0)
            return int.MaxValue;
        EpollCalls.Close(lowest);
        return lowest;
    }
}
