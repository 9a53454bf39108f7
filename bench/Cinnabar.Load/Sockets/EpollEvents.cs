using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Cinnabar.Load.Sockets;

/// <summary>An array of the system's <c>epoll_event</c>: 12 bytes each with the data at 4 on x86, 16 bytes
/// with the data at 8 elsewhere.</summary>
internal sealed unsafe class EpollEvents : IDisposable
{
    private const long NsPerMs = 1_000_000;
    private const long NsPerSecond = 1_000_000_000;
    private readonly int _size;
    private readonly int _dataOffset;
    private readonly byte* _events;
    private bool _isPrecise = true;

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
            throw Failure("epoll_ctl", Marshal.GetLastPInvokeError());
    }

    /// <summary>Waits for at most <paramref name="count"/> events, up to <paramref name="timeoutNs"/> or, on
    /// a system that only counts milliseconds, the whole ones of it; -1 waits for ever. An interrupted wait
    /// is one without events.</summary>
    // SAFETY: the array holds as many events as the constructor allocated, which no caller exceeds.
    public int Wait(int epoll, int count, long timeoutNs)
    {
        bool isWhole = timeoutNs % NsPerMs == 0 || timeoutNs < 0 || !_isPrecise;
        int ready = isWhole
            ? LibC.epoll_wait(epoll, _events, count, timeoutNs < 0 ? -1 : (int)(timeoutNs / NsPerMs))
            : WaitPrecisely(epoll, count, timeoutNs);
        if (ready >= 0) return ready;
        int error = Marshal.GetLastPInvokeError();
        return error == LibC.Interrupted ? 0 : throw Failure("epoll_wait", error);
    }

    /// <summary>The connection of one event of the last wait.</summary>
    public int Connection(int index) => Unsafe.ReadUnaligned<int>(_events + index * _size + _dataOffset);

    public void Dispose() => NativeMemory.Free(_events);

    // Linux has had this call since 5.11, its C libraries since later versions.
    private int WaitPrecisely(int epoll, int count, long timeoutNs)
    {
        long* time = stackalloc long[2];
        (time[0], time[1]) = (timeoutNs / NsPerSecond, timeoutNs % NsPerSecond);
        try
        {
            int ready = LibC.epoll_pwait2(epoll, _events, count, time, null);
            if (ready >= 0 || Marshal.GetLastPInvokeError() != LibC.NoSuchCall) return ready;
        }
        catch (EntryPointNotFoundException)
        {
            Marshal.SetLastPInvokeError(LibC.NoSuchCall);
        }
        _isPrecise = false;
        return LibC.epoll_wait(epoll, _events, count, (int)(timeoutNs / NsPerMs));
    }

    private static LoadException Failure(string call, int error) =>
        new($"{call}: {Marshal.GetPInvokeErrorMessage(error)}");
}
