using System.IO;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace Cinnabar.Platform;

/// <summary>Changes to the process that only a server that owns it may make.</summary>
public static unsafe class ProcessControl
{
    private const int TitleBytesMax = 15;

    /// <summary>Sets which permissions new files do not get (umask).</summary>
    /// <param name="mask">As in chmod, for instance 0x12 for octal 022.</param>
    /// <returns>The mask until now.</returns>
    [UnsupportedOSPlatform("windows")]
    public static int SetFileModeMask(int mask) => (int)LibC.SetMask((uint)mask);

    /// <summary>Sets the permissions of a file or unix socket (chmod).</summary>
    /// <param name="path">An existing file.</param>
    /// <param name="mode">Permission bits as in chmod, for instance 0x1C0 for octal 700.</param>
    /// <exception cref="IOException">The system refused.</exception>
    [UnsupportedOSPlatform("windows")]
    public static void SetFileMode(string path, int mode) => File.SetUnixFileMode(path, (UnixFileMode)mode);

    /// <summary>
    /// Names the calling thread, which on Linux is what ps and top show of the process if it is the main
    /// thread. The command line itself stays what it was: the runtime does not give access to it. Elsewhere
    /// nothing happens.
    /// </summary>
    /// <param name="title">Cut to 15 bytes.</param>
    /// <returns>Whether the system took it.</returns>
    public static bool TrySetTitle(string title)
    {
        if (!OperatingSystem.IsLinux())
            return false;
        byte* bytes = stackalloc byte[TitleBytesMax + 1];
        Span<byte> room = new(bytes, TitleBytesMax);
        Encoding.UTF8.GetEncoder().Convert(title, room, flush: true, out _, out int used, out _);
        bytes[used] = 0;
        // SAFETY: the call copies at most 16 bytes, which end with a zero, from our stack.
        return LibC.ControlProcess(LibC.PrctlSetName, (nuint)bytes, 0, 0, 0) == 0;
    }

    /// <summary>Disables transparent huge pages for this process, if the system has them.</summary>
    public static void DisableHugePages()
    {
        if (OperatingSystem.IsLinux())
            LibC.ControlProcess(LibC.PrctlDisableHugePages, 1, 0, 0, 0);
    }

    /// <summary>Begins a session without a terminal (setsid); the process must not lead a group.</summary>
    /// <exception cref="InvalidOperationException">It leads one.</exception>
    [UnsupportedOSPlatform("windows")]
    public static void StartSession()
    {
        if (LibC.StartSession() < 0)
            throw new InvalidOperationException($"setsid failed: error {Marshal.GetLastPInvokeError()}");
    }

    /// <summary>Points standard input, output and error at /dev/null.</summary>
    /// <exception cref="IOException">/dev/null cannot be opened.</exception>
    [UnsupportedOSPlatform("windows")]
    public static void CloseStandardStreams()
    {
        using SafeFileHandle sink =
            File.OpenHandle("/dev/null", FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        for (int fd = 0; fd <= 2; fd++)
        {
            // SAFETY: the handle is open until the end of this method.
            if (LibC.Duplicate((int)sink.DangerousGetHandle(), fd) < 0)
                throw new IOException($"dup2 failed: error {Marshal.GetLastPInvokeError()}");
        }
    }
}
