using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cinnabar.Bench.Load;

/// <summary>An array of the system's <c>epoll_event</c>: 12 bytes each with the data at 4 on x86, 16 bytes
/// with the data at 8 elsewhere.</summary>
internal sealed unsafe class EpollEvents : IDisposable
{
    private readonly int _size;
    private readonly int _dataOffset;
    private readonly byte* _events;

    public EpollEvents(int count)
    {
        bool isPacked = RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.X86;
        _size = isPacked ? 12 : 16;
        _dataOffset = isPacked ? 4 : 8;
        _events = (byte*)NativeMemory.AllocZeroed((nuint)(count * _size));
    }

    /// <summary>Adds, changes or removes what is watched of a socket.</summary>
    public void Control(int epoll, int operation, int socket, uint readiness, int connection)
    {
        byte* change = stackalloc byte[16];
        Unsafe.WriteUnaligned(change, readiness);
        Unsafe.WriteUnaligned(change + _dataOffset, (long)connection);
        if (LibC.epoll_ctl(epoll, operation, socket, change) < 0)
            throw Failure("epoll_ctl", Marshal.GetLastSystemError());
    }

    /// <summary>Waits for at most <paramref name="count"/> events; an interrupted wait is one without
    /// events.</summary>
    public int Wait(int epoll, int count, int timeoutMs)
    {
        int ready = LibC.epoll_wait(epoll, _events, count, timeoutMs);
        if (ready >= 0) return ready;
        int error = Marshal.GetLastSystemError();
        return error == LibC.Interrupted ? 0 : throw Failure("epoll_wait", error);
    }

    /// <summary>The connection of one event of the last wait.</summary>
    public int Connection(int index) => Unsafe.ReadUnaligned<int>(_events + index * _size + _dataOffset);

    public void Dispose() => NativeMemory.Free(_events);

    private static LoadException Failure(string call, int error) =>
        new($"{call}: {Marshal.GetPInvokeErrorMessage(error)}");
}
