using System.ComponentModel;
using System.Runtime.Versioning;

namespace Cinnabar.Transport.Epoll;

/// <summary>Ends a thread's wait for its <see cref="EpollSet"/>, from other threads.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class EpollWakeUp : IDisposable
{
    private readonly Lock _lock = new();
    private bool _isDisposed;

    /// <summary>Makes it a part of a set; its events carry <see cref="Mark"/>.</summary>
    /// <exception cref="Win32Exception">The system gives no descriptor.</exception>
    public EpollWakeUp(EpollSet set)
    {
        Mark = EpollCalls.EventDescriptor(0, EpollCalls.CloseOnExec | EpollCalls.NonBlocking);
        if (Mark < 0)
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        set.Add(Mark, EpollCalls.In, Mark);
    }

    /// <summary>What its events carry: its descriptor.</summary>
    public int Mark { get; }

    /// <summary>Ends the wait, or the next one. From any thread, also after the end.</summary>
    public void Signal()
    {
        ulong one = 1;
        lock (_lock)
        {
            // A thread may wake a loop that has ended: the descriptor may be another file's by then.
            if (!_isDisposed)
                EpollCalls.Write(Mark, (byte*)&one, sizeof(ulong));
        }
    }

    /// <summary>Notes that the wait has ended.</summary>
    public void Clear()
    {
        ulong value;
        EpollCalls.Read(Mark, (byte*)&value, sizeof(ulong));
    }

    public void Dispose()
    {
        lock (_lock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            EpollCalls.Close(Mark);
        }
    }
}
