using System;
using System.Globalization;
using System.IO;

namespace Cinnabar.Lab.Runner.Workloads;

/// <summary>Processor time of this process's children.</summary>
internal static class ProcessTimes
{
    private const string OwnFile = "/proc/self/stat";
    private const double TicksPerSecond = 100;

    /// <summary>The processor time of every child that has ended, in seconds; 0 if the system does not report
    /// it.</summary>
    public static double ChildrenSeconds()
    {
        if (!OperatingSystem.IsLinux()) return 0;
        string text = File.ReadAllText(OwnFile);
        // After the name, which may have blanks: the state is field 3; 16 and 17 are the children's times.
        string[] fields = text[(text.LastIndexOf(')') + 2)..].Split(' ');
        return (Ticks(fields[13]) + Ticks(fields[14])) / TicksPerSecond;
    }

    private static double Ticks(string field) => long.Parse(field, CultureInfo.InvariantCulture);
}
