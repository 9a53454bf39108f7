using Cinnabar.Engine.Sessions;
using Cinnabar.Transport.Epoll;

namespace Cinnabar.Transport.Uring;

/// <summary>The kernel below a ring, as far as a loop's connections need it: tests put a simulated one in its
/// place. Errors are negative results, the numbers of errno.</summary>
internal abstract unsafe class UringKernel
{
    /// <summary>Makes a ring.</summary>
    /// <returns>Its descriptor, or an error.</returns>
    public abstract int Setup(uint count, UringParameters* parameters);

    /// <summary>Maps a part of a ring.</summary>
    /// <param name="ring">The ring.</param>
    /// <param name="length">How many bytes.</param>
    /// <param name="offset">Which part.</param>
    /// <param name="place">Its address; null where it fails.</param>
    /// <returns>0 or an error.</returns>
    public abstract int Map(int ring, nuint length, long offset, out byte* place);

    /// <summary>Ends <see cref="Map"/>.</summary>
    public abstract void Unmap(byte* place, nuint length);

    /// <summary>Registers something with a ring.</summary>
    /// <returns>0 or an error.</returns>
    public abstract int Register(int ring, uint operation, void* argument, uint count);

    /// <summary>Submits entries, runs the work that the kernel has deferred, and waits.</summary>
    /// <param name="ring">The ring.</param>
    /// <param name="submittedCount">How many entries.</param>
    /// <param name="completionCount">How many completions there must be before it returns.</param>
    /// <param name="timeoutMs">How long it may wait for them; −1: for ever.</param>
    /// <returns>How many entries it took, or an error.</returns>
    public abstract int Enter(int ring, uint submittedCount, uint completionCount, int timeoutMs);

    /// <summary>Sends without a ring and without waiting, as the epoll transport does.</summary>
    /// <param name="descriptor">The socket.</param>
    /// <param name="segments">What to send.</param>
    /// <param name="count">How many segments, at most 64.</param>
    /// <param name="isAll">Whether the socket took everything.</param>
    /// <returns>The bytes that it took, or <see cref="Engine.Loops.LoopTransport.SendFailed"/>.</returns>
    public abstract long Send(int descriptor, OutputSegment* segments, int count, out bool isAll);

    /// <summary>Whether a socket's peer is seen to have gone: it has reset the connection, or neither side
    /// sends any more.</summary>
    public abstract bool HasGone(int descriptor);

    /// <summary>Sets an accepted TCP socket up.</summary>
    public abstract void SetUp(int descriptor, ListenerOptions options);

    /// <summary>Makes two sockets that are connected to each other.</summary>
    /// <returns>0 or an error.</returns>
    public abstract int MakePair(int* descriptors);

    /// <summary>Closes a descriptor.</summary>
    public abstract void Close(int descriptor);

    /// <summary>Makes an event that a ring can read, and any thread signal.</summary>
    /// <returns>Its descriptor, or an error.</returns>
    public abstract int MakeEvent();

    /// <summary>The time: milliseconds since some moment.</summary>
    public abstract long NowMs { get; }

    /// <summary>The time in ticks of <see cref="Stopwatch"/>.</summary>
    public abstract long NowTicks { get; }

    /// <summary>The number that a new descriptor would have; a large number where there is none.</summary>
    /// <param name="descriptor">Any that is open.</param>
    public abstract int FindLowest(int descriptor);

    /// <summary>Signals an event.</summary>
    public abstract void SignalEvent(int descriptor);
}
