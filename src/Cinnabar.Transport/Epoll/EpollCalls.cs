using System.Runtime.Versioning;

namespace Cinnabar.Transport.Epoll;

/// <summary>The system calls of the epoll transport; errors are in errno.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class EpollCalls
{
    internal const int ControlAdd = 1;
    internal const int ControlDelete = 2;
    internal const int ControlModify = 3;
    internal const uint In = 1;
    internal const uint Urgent = 2;
    internal const uint Out = 4;
    internal const uint Error = 8;
    internal const uint HangUp = 16;
    internal const uint PeerHangUp = 0x2000;
    internal const uint EdgeTriggered = 1u << 31;
    internal const int CloseOnExec = 0x80000;
    internal const int NonBlocking = 0x800;
    internal const int NoSignal = 0x4000;
    internal const int DoNotWait = 0x40;
    internal const int ControlTruncated = 8;
    internal const int NoEntry = 2;
    internal const int Interrupted = 4;
    internal const int Again = 11;
    internal const int NoMemory = 12;
    internal const int TooManyFilesInSystem = 23;
    internal const int TooManyFiles = 24;
    internal const int Aborted = 103;
    internal const int NoBuffers = 105;

    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    internal static partial int Create(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    internal static partial int Control(int epoll, int operation, int descriptor, byte* pollEvent);

    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    internal static partial int Wait(int epoll, byte* events, int count, int timeoutMs);

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    internal static partial int EventDescriptor(uint value, int flags);

    [LibraryImport("libc", EntryPoint = "accept4", SetLastError = true)]
    internal static partial int Accept(int listener, byte* address, int* addressLength, int flags);

    [LibraryImport("libc", EntryPoint = "dup", SetLastError = true)]
    internal static partial int Duplicate(int descriptor);

    [LibraryImport("libc", EntryPoint = "getsockname", SetLastError = true)]
    internal static partial int LocalName(int descriptor, byte* address, int* addressLength);

    [LibraryImport("libc", EntryPoint = "setsockopt", SetLastError = true)]
    internal static partial int SetOption(int descriptor, int level, int option, int* value, int valueLength);

    [LibraryImport("libc", EntryPoint = "recv", SetLastError = true)]
    internal static partial nint Receive(int descriptor, byte* buffer, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "recvmsg", SetLastError = true)]
    internal static partial nint ReceiveMessage(int descriptor, MessageHeader* message, int flags);

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    internal static partial nint Send(int descriptor, byte* buffer, nint length, int flags);

    [LibraryImport("libc", EntryPoint = "sendmsg", SetLastError = true)]
    internal static partial nint SendMessage(int descriptor, MessageHeader* message, int flags);

    [LibraryImport("libc", EntryPoint = "read", SetLastError = true)]
    internal static partial nint Read(int descriptor, byte* buffer, nint length);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    internal static partial nint Write(int descriptor, byte* buffer, nint length);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    internal static partial int Close(int descriptor);
}
