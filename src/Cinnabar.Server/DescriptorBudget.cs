using System;
using System.Globalization;
using Cinnabar.Engine.Configuration;
using Cinnabar.Engine.Logging;
using Cinnabar.Platform;

namespace Cinnabar.Server;

/// <summary>
/// Makes the system's limit of open files and <c>maxclients</c> agree. The runtime has raised the limit as
/// far as an ordinary user may already.
/// </summary>
internal sealed class DescriptorBudget
{
    // Listeners, epoll and event descriptors of the loops, log, runtime.
    private const long Reserved = 128;

    private readonly ConfigurationRegistry _registry;

    internal DescriptorBudget(ConfigurationRegistry registry) => _registry = registry;

    /// <summary>Why the process cannot become a server, in Redis's words; null: it has files enough. Before
    /// anything is read: without descriptors the runtime finds no assembly.</summary>
    internal static string? FindShortage()
    {
        if (OperatingSystem.IsWindows())
            return null;
        long limit = FileDescriptorLimit.Read().Soft;
        return limit > Reserved || FileDescriptorLimit.TrySet(Reserved + 1)
            ? null
            : $"Your current 'ulimit -n' of {limit} is not enough for the server to start. Please increase "
                + $"your open file limit to at least {Reserved + 1}. Exiting.";
    }

    /// <summary>
    /// Lowers maxclients where the system does not allow as many, and guards it from now on.
    /// </summary>
    internal void Enforce(ILog log)
    {
        if (OperatingSystem.IsWindows())
            return;
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
