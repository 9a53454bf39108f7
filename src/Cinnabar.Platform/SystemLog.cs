using System.Runtime.Versioning;

namespace Cinnabar.Platform;

/// <summary>The system's log (syslog). There is one for the process: only the owner of the process opens
/// it.</summary>
[UnsupportedOSPlatform("windows")]
public sealed unsafe class SystemLog : IDisposable
{
    private const int WithProcessId = 1;
    private const int OpenAtOnce = 8;

    private byte* _identity;

    /// <param name="identity">The prefix of each message.</param>
    /// <param name="facility">1 for USER, 16 to 23 for LOCAL0 to LOCAL7.</param>
    public SystemLog(string identity, int facility)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(facility);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(facility, 23);
        // SAFETY: the C library keeps this pointer until closelog.
        _identity = (byte*)Marshal.StringToCoTaskMemUTF8(identity);
        LibC.OpenLog(_identity, WithProcessId | OpenAtOnce, facility << 3);
    }

    /// <summary>Logs a line.</summary>
    /// <param name="severity">3 error, 4 warning, 5 notice, 6 information, 7 debugging.</param>
    /// <param name="message">Any text.</param>
    public void Write(int severity, string message)
    {
        ObjectDisposedException.ThrowIf(_identity == null, this);
        nint text = Marshal.StringToCoTaskMemUTF8(message.Replace("%", "%%", StringComparison.Ordinal));
        LibC.Log(severity & 7, (byte*)text);
        Marshal.FreeCoTaskMem(text);
    }

    /// <summary>Closes the log.</summary>
    public void Dispose()
    {
        if (_identity == null)
            return;
        LibC.CloseLog();
        Marshal.FreeCoTaskMem((nint)_identity);
        _identity = null;
    }
}
