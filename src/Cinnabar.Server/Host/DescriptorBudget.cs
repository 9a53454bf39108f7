using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Configuration.Registry;
using Cinnabar.Engine.Logging;
using Cinnabar.Platform;

namespace Cinnabar.Server.Host;

/// <summary>
/// Makes the system's limit of open files and <c>maxclients</c> agree. The run time has raised the limit as
/// far as an ordinary user may already.
/// </summary>
internal sealed class DescriptorBudget
{
    // As Redis.
    private const long ReservedMin = 32;

    // Measured in the native binary: 14 are open beside those of loops and listeners (standard streams,
    // pipes, the sets and wake-ups of what is no loop, files that INFO reads); the log, and one that is just
    // being opened.
    private const long ReservedForProcess = 16;

    // Its own set, two for what its thread drives, its wake-up, its thread's times.
    private const long ReservedPerLoop = 5;

    // As Redis, the budget goes by steps: a reader of the messages need not know every descriptor.
    private const long Step = 32;

    private readonly ConfigurationRegistry _registry;

    internal DescriptorBudget(ConfigurationRegistry registry)
    {
        _registry = registry;
        Settings settings = registry.Settings;
        Reserved = ReservedFor(Math.Max(1, settings.IoThreads), settings.Bind.Length + 1);
    }

    /// <summary>How many files the process needs besides those of its clients.</summary>
    internal long Reserved { get; }

    /// <summary>How many files a server needs besides those of its clients.</summary>
    /// <param name="loopCount">Its loops.</param>
    /// <param name="listenerCount">The most listeners that it may have.</param>
    internal static long ReservedFor(int loopCount, int listenerCount)
    {
        long needed = ReservedForProcess + (ReservedPerLoop * loopCount) + listenerCount;
        return Math.Max(ReservedMin, (needed + Step - 1) / Step * Step);
    }

    /// <summary>Why the process cannot become a server, in Redis's words; null: it has files
    /// enough.</summary>
    internal static string? FindShortage()
    {
        if (OperatingSystem.IsWindows())
            return null;
        long limit = FileDescriptorLimit.Read().Soft;
        return DescribeShortage(limit, ReservedMin);
    }

    [System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
    private static string? DescribeShortage(long limit, long reserved) =>
        limit > reserved || FileDescriptorLimit.TrySet(reserved + 1)
            ? null
            : $"Your current 'ulimit -n' of {limit} is not enough for the server to start. Please increase "
                + $"your open file limit to at least {reserved + 1}. Exiting.";

    /// <summary>
    /// Lowers maxclients if the system allows fewer, and checks later changes of it.
    /// </summary>
    /// <returns>False where there are too few files even for one client; the log says so.</returns>
    internal bool Enforce(ILog log)
    {
        if (OperatingSystem.IsWindows())
            return true;
        if (DescribeShortage(FileDescriptorLimit.Read().Soft, Reserved) is string shortage)
        {
            log.Write(LogLevel.Warning, shortage);
            return false;
        }

        long wanted = _registry.Settings.ClientsMax;
        long possible = FindPossible();
        if (possible < wanted)
        {
            log.Write(LogLevel.Warning, $"You requested maxclients of {wanted} requiring at least "
                + $"{wanted + Reserved} max file descriptors.");
            log.Write(LogLevel.Warning,
                $"Current maximum open files is {possible + Reserved}. maxclients has "
                + $"been reduced to {possible} to compensate for low ulimit. If you need higher maxclients "
                + "increase 'ulimit -n'.");
            _registry.Override("maxclients", possible.ToString(CultureInfo.InvariantCulture));
        }
        _registry.Subscribe("maxclients", Check);
        return true;
    }

    private string? Check()
    {
        if (OperatingSystem.IsWindows())
            return null;
        long possible = FindPossible();
        return possible >= _registry.Settings.ClientsMax
            ? null
            : "The operating system is not able to handle the specified number of clients, try with "
                + possible.ToString(CultureInfo.InvariantCulture);
    }

    [System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
    private long FindPossible()
    {
        long needed = _registry.Settings.ClientsMax + Reserved;
        long limit = FileDescriptorLimit.Read().Soft;
        if (limit < needed && FileDescriptorLimit.TrySet(needed))
            limit = FileDescriptorLimit.Read().Soft;
        return Math.Max(limit - Reserved, 1);
    }
}
