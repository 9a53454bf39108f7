using System.IO;
using Cinnabar.Engine.Configuration;
using Cinnabar.Platform;

namespace Cinnabar.Server.Host;

/// <summary>
/// The checks of <c>--check-system</c>: settings of the system that slow down or limit a server.
/// </summary>
internal static class SystemCheck
{
    private const string ClockPath = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    private const string BacklogPath = "/proc/sys/net/core/somaxconn";

    /// <summary>Prints a line for each check; 0: all is well.</summary>
    internal static int Run(TextWriter output)
    {
        bool isWell = true;
        isWell &= Report(output, "slow-clocksource", FindSlowClock());
        isWell &= Report(output, "backlog", FindLowBacklog());
        isWell &= Report(output, "open-files", FindFewFiles());
        return isWell ? 0 : 1;
    }

    /// <summary>Why a burst of connections may be refused; null: it is not.</summary>
    internal static string? FindLowBacklog(int wanted = 511)
    {
        if (ReadFirstLine(BacklogPath) is not string text
            || !int.TryParse(text, CultureInfo.InvariantCulture, out int limit) || limit >= wanted)
            return null;
        return $"The TCP backlog setting of {wanted} cannot be enforced because {BacklogPath} is set to the "
            + $"lower value of {limit}.";
    }

    private static bool Report(TextWriter output, string name, string? problem)
    {
        output.WriteLine($"[{name}]..." + (problem is null ? "OK" : "WARNING:"));
        if (problem is not null)
            output.WriteLine(problem);
        return problem is null;
    }

    private static string? FindSlowClock() => ReadFirstLine(ClockPath) switch
    {
        null or "tsc" or "kvm-clock" or "arch_sys_counter" or "hyperv_clocksource_tsc_page" => null,
        string slow => $"The clock source '{slow}' needs a system call for each look at the time.",
    };

    private static string? FindFewFiles()
    {
        if (OperatingSystem.IsWindows())
            return null;
        long wanted = new Settings().ClientsMax;
        long limit = FileDescriptorLimit.Read().Soft;
        return limit >= wanted
            ? null
            : $"This process may open {limit} files, which is less than the default of maxclients, {wanted}.";
    }

    private static string? ReadFirstLine(string path)
    {
        if (!File.Exists(path))
            return null;
        using StreamReader reader = File.OpenText(path);
        return reader.ReadLine();
    }
}
