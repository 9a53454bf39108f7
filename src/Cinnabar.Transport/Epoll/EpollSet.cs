using System.ComponentModel;
using System.Runtime.Versioning;

namespace Cinnabar.Transport.Epoll;

/// <summary>Descriptors that a thread waits for. A descriptor that is closed leaves the set by
/// itself.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EpollSet : IPolledSet, IDisposable
{
    /// <summary>Most events of one wait.</summary>
    public const int EventCountMax = 1024;

    private const int EventSizeMax = 16;

    private readonly int _epoll;
    private readonly int _eventSize = RuntimeInformation.ProcessArchitecture == Architecture.X64
        ? 12 : EventSizeMax;
    private readonly byte* _events = (byte*)NativeMemory.AlignedAlloc(EventCountMax * EventSizeMax, 64);

    /// <summary>Makes an empty set.</summary>
    /// <exception cref="Win32Exception">The system gives no descriptor.</exception>
    public EpollSet()
    {
        _epoll = EpollCalls.Create(EpollCalls.CloseOnExec);
        if (_epoll < 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    public long NowTicks => Stopwatch.GetTimestamp();

    /// <summary>Adds a descriptor.</summary>
    /// <param name="descriptor">The descriptor.</param>
    /// <param name="interest">Events to wait for.</param>
    /// <param name="mark">What its events carry.</param>
    /// <returns>False where the system refuses; the cause is in errno.</returns>
    public bool TryAdd(int descriptor, uint interest, long mark) =>
        TryControl(EpollCalls.ControlAdd, descriptor, interest, mark);

    /// <summary>Adds a descriptor, which the system must take.</summary>
    /// <exception cref="Win32Exception">It does not.</exception>
    public void Add(int descriptor, uint interest, long mark)
    {
        if (!TryAdd(descriptor, interest, mark))
            throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    /// <summary>Removes a descriptor that stays open, if it is in the set.</summary>
    public void Remove(int descriptor)
    {
        if (!TryControl(EpollCalls.ControlDelete, descriptor, 0, default)
            && Marshal.GetLastPInvokeError() != EpollCalls.NoEntry)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    /// <summary>Changes the events to wait for.</summary>
    public void Change(int descriptor, uint interest, long mark)
    {
        if (!TryControl(EpollCalls.ControlModify, descriptor, interest, mark))
            throw new Win32Exception(Marshal.GetLastPInvokeError());
    }

    /// <summary>Waits for events.</summary>
    /// <param name="timeoutMs">How long at most, in milliseconds; −1: for ever.</param>
    /// <returns>Their number, to be read by <see cref="Read"/>.</returns>
    public int Wait(int timeoutMs)
    {
        int count = EpollCalls.Wait(_epoll, _events, EventCountMax, timeoutMs);
        if (count < 0 && Marshal.GetLastPInvokeError() != EpollCalls.Interrupted)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        return Math.Max(count, 0);
    }

    /// <summary>One of the events of the last wait.</summary>
    public void Read(int index, out long mark, out uint events)
    {
        // SAFETY: the kernel filled events of `_eventSize` bytes: 32 bits of events, then our 64 bits.
        byte* pollEvent = _events + (index * _eventSize);
        events = *(uint*)pollEvent;
        mark = *(long*)(pollEvent + (_eventSize - sizeof(long)));
    }

    public void Dispose()
    {
        EpollCalls.Close(_epoll);
        NativeMemory.AlignedFree(_events);
    }

    private bool TryControl(int operation, int descriptor, uint interest, long mark)
    {
        // SAFETY: 16 bytes are an event of either size: 32 bits of events, then (packed on x64) our 64 bits.
        byte* pollEvent = stackalloc byte[EventSizeMax];
        *(uint*)pollEvent = interest;
        *(long*)(pollEvent + (_eventSize - sizeof(long))) = mark;
        return EpollCalls.Control(_epoll, operation, descriptor, pollEvent) >= 0;
    }
}
