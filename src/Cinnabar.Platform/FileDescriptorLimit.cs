using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>How many files and sockets this process may have open. Windows has no such limit.</summary>
[UnsupportedOSPlatform("windows")]
public static unsafe class FileDescriptorLimit
{
    // RLIM_INFINITY, and any value too large for a signed number, reads as this.
    private const long Unlimited = long.MaxValue;

    /// <summary>The limit in force and the one up to which an unprivileged process may raise it.</summary>
    /// <exception cref="InvalidOperationException">The system refused to say.</exception>
    public static (long Soft, long Hard) Read()
    {
        ResourceLimit limit = ReadRaw();
        return (Clamp(limit.Soft), Clamp(limit.Hard));
    }

    /// <summary>Sets the limit in force, and the upper one where it is lower (that takes
    /// privileges).</summary>
    /// <returns>Whether the system allowed it.</returns>
    public static bool TrySet(long soft)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(soft);
        ResourceLimit limit = ReadRaw();
        limit.Soft = (ulong)soft;
        limit.Hard = Math.Max(limit.Hard, limit.Soft);
        // SAFETY: the call reads one structure from our stack.
        return LibC.SetLimit(Resource, &limit) == 0;
    }

    private static int Resource => OperatingSystem.IsLinux() ? 7 : 8; // RLIMIT_NOFILE

    private static ResourceLimit ReadRaw()
    {
        ResourceLimit limit;
        // SAFETY: the call writes one structure to our stack.
        if (LibC.GetLimit(Resource, &limit) != 0)
            throw new InvalidOperationException($"getrlimit failed: error {Marshal.GetLastPInvokeError()}");
        return limit;
    }

    private static long Clamp(ulong value) => value > long.MaxValue ? Unlimited : (long)value;
}
