namespace Cinnabar.Transport.Uring;

/// <summary>How long a wait may be (struct io_uring_getevents_arg and the time that it points to).</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct UringWaitLimit
{
    /// <summary>The bytes of it that the kernel reads as its argument.</summary>
    public const int ArgumentSize = 24;

    private const long MsPerS = 1000;
    private const long NsPerMs = 1_000_000;

    private readonly ulong _signals;
    private readonly ulong _signalsSize;
    private ulong _time;
    private long _seconds;
    private long _nanoseconds;

    /// <summary>Sets the time. The structure must stay where it is until the call has ended.</summary>
    // SAFETY: the caller has the structure on its stack, and makes the call.
    public static void Set(UringWaitLimit* limit, int timeoutMs)
    {
        limit->_seconds = timeoutMs / MsPerS;
        limit->_nanoseconds = timeoutMs % MsPerS * NsPerMs;
        limit->_time = (ulong)&limit->_seconds;
    }
}
