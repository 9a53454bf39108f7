using System;
using System.Globalization;
using System.IO;
using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>
/// The processor time of one thread, for whoever asks, in user mode and in the kernel apart (which
/// <see cref="ThreadTime"/> does not tell). Linux only.
/// </summary>
/// <remarks>Of proc(5): <c>stat</c> of a task, whose 14th and 15th fields are the two times in ticks of
/// USER_HZ, 100 a second on every architecture that .NET runs on.</remarks>
[SupportedOSPlatform("linux")]
public sealed class ThreadUsage
{
    private const int TicksPerSecond = 100;

    // Behind the name of the thread, which may hold blanks and brackets, the third field comes first.
    private const int UserField = 14 - 3;
    private const int SystemField = 15 - 3;

    private readonly string _path;

    private ThreadUsage(string path) => _path = path;

    /// <summary>The calling thread's; null where the system does not tell.</summary>
    public static ThreadUsage? OfThisThread() => new FileInfo("/proc/thread-self").LinkTarget is { } target
        ? new ThreadUsage(Path.Combine("/proc", target, "stat"))
        : null;

    /// <summary>What it has used until now, in hundredths of a second; zeros when it has ended.</summary>
    public (TimeSpan User, TimeSpan System) Read()
    {
        string text;
        try
        {
            text = File.ReadAllText(_path);
        }
        catch (IOException)
        {
            return default;
        }

        string[] fields = text[(text.LastIndexOf(')') + 2)..].Split(' ');
        return (TimeOf(fields[UserField]), TimeOf(fields[SystemField]));
    }

    private static TimeSpan TimeOf(string ticks) =>
        TimeSpan.FromSeconds(long.Parse(ticks, CultureInfo.InvariantCulture)) / TicksPerSecond;
}
