namespace Cinnabar.Platform;

/// <summary>The C library's functions that this module needs, on Linux and macOS.</summary>
internal static unsafe partial class LibC
{
    internal const int ProtectReadWrite = 3;
    internal const int MapPrivate = 2;
    internal const int MapAnonymousLinux = 0x20;
    internal const int MapNoReserveLinux = 0x4000;
    internal const int MapAnonymousMac = 0x1000;
    internal const int AdviseDontNeed = 4;
    internal const int AdviseFreeMac = 5;
    internal const int AdviseHugePages = 14;
    internal const int ClockRealtimeLinux = 0;
    internal const int ClockMonotonicLinux = 1;
    internal const int PrctlSetName = 15;
    internal const int PrctlDisableHugePages = 41;
    internal const int SchedulerNormal = 0;
    internal const int NiceMax = 19;
    internal const int UsageOfThread = 1;
    internal const uint RangeWrite = 2;

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    internal static partial byte* Map(
        byte* address, nuint size, int protection, int flags, int fd, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    internal static partial int Unmap(byte* address, nuint size);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    internal static partial int Advise(byte* address, nuint size, int advice);

    // sched_getattr and sched_setattr have no function of their own in most C libraries. This one is
    // variadic, which on Linux makes no difference to how words are passed.
    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint SystemCall(
        nint number, nint thread, void* place, nint sizeOrFlags, nint flags);

    [LibraryImport("libc", EntryPoint = "open")]
    internal static partial int Open(byte* path, int flags);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true)]
    internal static partial int OpenFile(byte* path, int flags);

    [LibraryImport("libc", EntryPoint = "socket")]
    internal static partial int OpenSocket(int domain, int type, int protocol);

    // The group's record, which the next call may overwrite; null: there is none.
    [LibraryImport("libc", EntryPoint = "getgrnam", StringMarshalling = StringMarshalling.Utf8)]
    internal static partial GroupRecord* FindGroup(string name);

    [LibraryImport("libc", EntryPoint = "chown", StringMarshalling = StringMarshalling.Utf8,
        SetLastError = true)]
    internal static partial int ChangeOwner(string path, uint user, uint group);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    internal static partial int FlushFile(int fd);

    // Linux only.
    [LibraryImport("libc", EntryPoint = "sync_file_range")]
    internal static partial int BeginWriting(int fd, long offset, long count, uint flags);

    [LibraryImport("libc", EntryPoint = "read")]
    internal static partial nint Read(int fd, byte* place, nuint size);

    [LibraryImport("libc", EntryPoint = "close")]
    internal static partial int Close(int fd);

    // On Linux this is a vDSO call of some 20 ns which never blocks, so the collector may wait for it.
    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    [SuppressGCTransition]
    internal static partial int GetTime(int clock, TimeSpec* time);

    // The clock of a thread is no vDSO call.
    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    internal static partial int GetThreadTime(int clock, TimeSpec* time);

    [LibraryImport("libc", EntryPoint = "pthread_self")]
    internal static partial nint ThisThread();

    [LibraryImport("libc", EntryPoint = "getrusage")]
    internal static partial int GetUsage(int who, ResourceUsage* usage);

    [LibraryImport("libc", EntryPoint = "umask")]
    internal static partial uint SetMask(uint mask);

    [LibraryImport("libc", EntryPoint = "setsid", SetLastError = true)]
    internal static partial int StartSession();

    [LibraryImport("libc", EntryPoint = "dup2", SetLastError = true)]
    internal static partial int Duplicate(int from, int to);

    [LibraryImport("libc", EntryPoint = "uname")]
    internal static partial int NameSystem(byte* texts);

    [LibraryImport("libc", EntryPoint = "getentropy", SetLastError = true)]
    internal static partial int GetEntropy(byte* place, nuint size);

    [LibraryImport("libc", EntryPoint = "getrlimit", SetLastError = true)]
    internal static partial int GetLimit(int resource, ResourceLimit* limit);

    [LibraryImport("libc", EntryPoint = "setrlimit", SetLastError = true)]
    internal static partial int SetLimit(int resource, ResourceLimit* limit);

    [LibraryImport("libc", EntryPoint = "openlog")]
    internal static partial void OpenLog(byte* identity, int options, int facility);

    // The function is variadic. Only its two fixed arguments are ever passed (the text's percent signs are
    // doubled), because not every platform passes variadic arguments as it passes ordinary ones.
    [LibraryImport("libc", EntryPoint = "syslog")]
    internal static partial void Log(int priority, byte* format);

    [LibraryImport("libc", EntryPoint = "closelog")]
    internal static partial void CloseLog();

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    internal static partial int ControlProcess(
        int option, nuint value, nuint third, nuint fourth, nuint fifth);

    // Linked into the native server only, with src/Cinnabar.Server/Native/fatal_signals.c.
    [LibraryImport("cinnabar", EntryPoint = "cinnabar_install_fatal_signals")]
    internal static partial int InstallFatalSignals(void* report);

    [LibraryImport("libc", EntryPoint = "sysctlbyname", StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int ReadSystemValue(
        string name, void* value, nuint* size, void* next, nuint nextSize);
}
