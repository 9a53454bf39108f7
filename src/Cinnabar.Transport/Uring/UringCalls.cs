using System.Runtime.Versioning;

namespace Cinnabar.Transport.Uring;

/// <summary>The system calls and constants of io_uring, Linux 6.1; errors are in errno. The numbers of the
/// calls are the same on all processors.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class UringCalls
{
    internal const nint SetupNumber = 425;
    internal const nint EnterNumber = 426;
    internal const nint RegisterNumber = 427;

    internal const byte OpPollAdd = 6;
    internal const byte OpAccept = 13;
    internal const byte OpCancel = 14;
    internal const byte OpRead = 22;
    internal const byte OpSend = 26;
    internal const byte OpReceive = 27;
    internal const byte OpMessage = 40;

    internal const uint SetupCompletionCount = 1 << 3;
    internal const uint SetupClamp = 1 << 4;
    internal const uint SetupDisabled = 1 << 6;
    internal const uint SetupSubmitAll = 1 << 7;
    internal const uint SetupTaskRunFlag = 1 << 9;
    internal const uint SetupSingleIssuer = 1 << 12;
    internal const uint SetupDeferTaskRun = 1 << 13;

    internal const uint FeatureSingleMapping = 1;
    internal const uint FeatureNoDrop = 2;
    internal const uint FeatureWaitArgument = 1 << 8;

    internal const uint EnterGetEvents = 1;
    internal const uint EnterWaitArgument = 1 << 3;

    internal const uint RegisterEnable = 12;
    internal const uint RegisterBuffers = 22;

    internal const uint StateOverflow = 1 << 1;
    internal const uint StateTaskRun = 1 << 2;

    internal const byte SubmissionSelectsBuffer = 1 << 5;
    internal const ushort ReceiveMultishot = 1 << 1;
    internal const ushort AcceptMultishot = 1;
    internal const uint PollMultishot = 1;
    internal const uint CancelAll = 1;
    internal const uint CancelAny = 1 << 2;

    internal const long SubmissionRing = 0;
    internal const long SubmissionEntries = 0x1000_0000;

    internal const int MapReadWrite = 3;
    internal const int MapSharedPopulated = 0x8001;

    internal const int NotPermitted = 1;
    internal const int Busy = 16;
    internal const int Invalid = 22;
    internal const int NotImplemented = 38;
    internal const int TimedOut = 62;
    internal const int Canceled = 125;

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint Setup(nint number, uint count, UringParameters* parameters);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint Enter(
        nint number, int ring, uint submitted, uint completed, uint flags, void* argument, nint size);

    [LibraryImport("libc", EntryPoint = "syscall", SetLastError = true)]
    internal static partial nint Register(nint number, int ring, uint operation, void* argument, uint count);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    internal static partial byte* Map(
        void* address, nuint length, int protection, int flags, int descriptor, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    internal static partial int Unmap(void* address, nuint length);

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    internal static partial int Poll(PolledDescriptor* descriptors, nint count, int timeoutMs);

    [LibraryImport("libc", EntryPoint = "getpeername", SetLastError = true)]
    internal static partial int PeerName(int descriptor, byte* address, int* addressLength);

    [LibraryImport("libc", EntryPoint = "socketpair", SetLastError = true)]
    internal static partial int SocketPair(int domain, int type, int protocol, int* descriptors);
}
