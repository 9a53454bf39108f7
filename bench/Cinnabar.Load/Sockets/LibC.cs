using System.Runtime.InteropServices;

namespace Cinnabar.Load.Sockets;

/// <summary>The system calls of the load generator on Linux. Sizes in bytes; -1 is a failure whose number
/// <see cref="Marshal.GetLastPInvokeError"/> gives.</summary>
// SAFETY: every pointer is to memory of the caller that outlives the call, of the size it names.
internal static unsafe partial class LibC
{
    public const int NonBlocking = 0x800;
    public const int CloseOnExec = 0x80000;
    public const int ProtocolTcp = 6;
    public const int NoDelay = 1;
    public const int NoSignal = 0x4000;
    public const int DontWait = 0x40;
    public const int TryAgain = 11;
    public const int NoSuchProcess = 3;
    public const int Interrupted = 4;
    public const int NoBuffers = 105;
    public const int NoSuchCall = 38;
    public const int EpollAdd = 1;
    public const int EpollModify = 3;
    public const uint EpollIn = 1;
    public const uint EpollOut = 4;
    public const uint EpollEdge = 1u << 31;
    public const int ThreadCpuClock = 3;
    public const int SetTimerSlack = 29;

    [LibraryImport("libc", SetLastError = true)]
    public static partial int accept4(int socket, void* address, int* size, int flags);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int setsockopt(int socket, int level, int name, int* value, int size);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int close(int socket);

    [LibraryImport("libc", SetLastError = true)]
    public static partial nint send(int socket, byte* data, nint size, int flags);

    [LibraryImport("libc", SetLastError = true)]
    public static partial nint recv(int socket, byte* buffer, nint size, int flags);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int epoll_create1(int flags);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int epoll_ctl(int epoll, int operation, int socket, byte* readiness);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int epoll_wait(int epoll, byte* ready, int count, int timeoutMs);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int epoll_pwait2(int epoll, byte* ready, int count, long* timeout, void* signals);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int clock_gettime(int clock, long* secondsAndNanoseconds);

    /// <summary>Sleeps for less than a second.</summary>
    public static void Sleep(long nanoseconds)
    {
        long* time = stackalloc long[2];
        (time[0], time[1]) = (0, nanoseconds);
        _ = nanosleep(time, null);
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int nanosleep(long* secondsAndNanoseconds, long* left);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int sched_setscheduler(int thread, int policy, int* priority);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int sched_getaffinity(int thread, nint size, ulong* mask);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int sched_setaffinity(int thread, nint size, ulong* mask);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int prctl(int option, ulong value, ulong none2, ulong none3, ulong none4);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int setpriority(int kind, int thread, int priority);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int kill(int process, int signal);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int setrlimit(int resource, ulong* softAndHard);

    [LibraryImport("libc", SetLastError = true)]
    public static partial int getrlimit(int resource, ulong* softAndHard);
}
