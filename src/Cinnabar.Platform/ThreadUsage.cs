using System.Buffers.Text;
using System.IO;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Cinnabar.Platform;

/// <summary>
/// The processor time of one thread, in user mode and in the kernel apart. Linux only; any thread may ask.
/// </summary>
/// <remarks>The thread itself calls getrusage(2), which counts microseconds. Others read <c>stat</c> of the
/// task (proc(5)): fields 14 and 15 are the two times in ticks of USER_HZ, 100 a second on every architecture
/// of .NET. They are rounded down, so the largest value that any thread has read is the most exact.
/// </remarks>
[SupportedOSPlatform("linux")]
public sealed unsafe class ThreadUsage : IDisposable
{
    private const long TimeTicksPerSystemTick = TimeSpan.TicksPerSecond / 100;

    // More than all fields of the line can have, 52 of at most 20 digits and a name.
    private const int LineLengthMax = 2048;

    // The third field is the first one behind the thread's name, which may hold blanks and brackets.
    private const int UserField = 14 - 3;

    private readonly Thread _thread = Thread.CurrentThread;
    private readonly SafeFileHandle _file;
    private long _userTicks;
    private long _systemTicks;

    private ThreadUsage(SafeFileHandle file) => _file = file;

    /// <summary>The calling thread's; null where the system does not report it.</summary>
    public static ThreadUsage? OfThisThread() => new FileInfo("/proc/thread-self").LinkTarget is { } target
        ? new ThreadUsage(File.OpenHandle(Path.Combine("/proc", target, "stat")))
        : null;

    /// <summary>What it has used until now, exact to a hundredth of a second; zeros when it has
    /// ended.</summary>
    public (TimeSpan User, TimeSpan System) Read()
    {
        (long user, long system) = (0, 0);
        if (Thread.CurrentThread == _thread)
        {
            ResourceUsage usage;
            // SAFETY: the call writes one structure to our stack.
            if (LibC.GetUsage(LibC.UsageOfThread, &usage) == 0)
                (user, system) = (usage.UserTicks, usage.SystemTicks);
        }
        else if (!TryReadLine(out user, out system))
        {
            return default;
        }

        return (new TimeSpan(Raise(ref _userTicks, user)), new TimeSpan(Raise(ref _systemTicks, system)));
    }

    /// <inheritdoc/>
    public void Dispose() => _file.Dispose();

    private static long Raise(ref long most, long value)
    {
        Debug.Assert(value >= 0, "a time is not negative");
        long seen = Volatile.Read(ref most);
        while (seen < value)
        {
            long found = Interlocked.CompareExchange(ref most, value, seen);
            if (found == seen)
                return value;
            seen = found;
        }

        return seen;
    }

    private bool TryReadLine(out long user, out long system)
    {
        (user, system) = (0, 0);
        Span<byte> line = stackalloc byte[LineLengthMax];
        try
        {
            line = line[..RandomAccess.Read(_file, line, 0)];
        }
        catch (IOException)
        {
            return false;
        }

        ReadOnlySpan<byte> rest = line[(line.LastIndexOf((byte)')') + 2)..];
        for (int field = 0; field < UserField; field++)
            rest = rest[(rest.IndexOf((byte)' ') + 1)..];
        bool isRead = Utf8Parser.TryParse(rest, out user, out int length)
            && Utf8Parser.TryParse(rest[(length + 1)..], out system, out _);
        (user, system) = (user * TimeTicksPerSystemTick, system * TimeTicksPerSystemTick);
        return isRead;
    }
}
