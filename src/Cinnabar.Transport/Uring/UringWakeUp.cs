// Two ways to wake a loop that waits for its ring. Another loop sends a message from its ring to this one
// (IORING_OP_MSG_RING), at once, since the waiting loop should not wait for the end of the other's turn. A
// thread that has no ring signals an event, which this ring reads all the time.

using System.Runtime.Versioning;

namespace Cinnabar.Transport.Uring;

/// <summary>Ends a loop's wait for its ring, from other threads.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class UringWakeUp : IDisposable
{
    private readonly UringKernel _kernel;
    private readonly UringRing _ring;
    private readonly Lock _lock = new();
    private readonly int _event;
    private readonly ulong* _value = (ulong*)NativeMemory.AllocZeroed(sizeof(ulong));
    private bool _isDisposed;

    private UringWakeUp(UringKernel kernel, UringRing ring, int descriptor) =>
        (_kernel, _ring, _event) = (kernel, ring, descriptor);

    /// <summary>Makes it.</summary>
    /// <param name="kernel">The kernel.</param>
    /// <param name="ring">The loop's ring.</param>
    /// <param name="error">Why there is none: a number of errno.</param>
    /// <returns>Null where the system gives no descriptor.</returns>
    public static UringWakeUp? TryMake(UringKernel kernel, UringRing ring, out int error)
    {
        int descriptor = kernel.MakeEvent();
        error = Math.Max(-descriptor, 0);
        return descriptor < 0 ? null : new UringWakeUp(kernel, ring, descriptor);
    }

    /// <summary>Reads the next signal. On the loop.</summary>
    public void Read()
    {
        UringSubmission* submission = _ring.Prepare(
            UringCalls.OpRead, _event, new UringMark(UringOperation.WakeUp, _event));
        // SAFETY: the value is freed when nothing is in flight.
        submission->Address = (ulong)_value;
        submission->Length = sizeof(ulong);
    }

    /// <summary>Ends the wait, or the next one. From any thread, also after the end.</summary>
    public void Signal()
    {
        lock (_lock)
        {
            // A thread may wake a loop that has ended: the descriptor may be another file's by then.
            if (!_isDisposed)
                _kernel.SignalEvent(_event);
        }
    }

    /// <summary>Ends the wait of another loop's ring. On the loop of this one.</summary>
    /// <param name="target">The other ring.</param>
    /// <param name="loop">The other loop's index.</param>
    public void Send(UringRing target, int loop)
    {
        UringSubmission* submission = _ring.Prepare(UringCalls.OpMessage, target.Descriptor,
            new UringMark(UringOperation.MessageSending, loop));
        submission->Offset = new UringMark(UringOperation.Message, loop).Value;
        _ring.Enter(0, 0);
    }

    public void Dispose()
    {
        lock (_lock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            _kernel.Close(_event);
            NativeMemory.Free(_value);
        }
    }
}
