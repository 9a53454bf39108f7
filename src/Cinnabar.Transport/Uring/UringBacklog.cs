// Completions between the ring and the loop, and the wait for them. The ring is read whenever the kernel has
// been called, also in the middle of a turn, when the results of sends are wanted: what else came waits here
// for the next turn, in the order of its completion.

// A look without a wait is a look at the memory that the kernel shares, and a call only where that shows
// something: a loop that polls makes no calls.

using System.Runtime.Versioning;
using Cinnabar.Transport.Epoll;

namespace Cinnabar.Transport.Uring;

/// <summary>Completions that wait for the loop.</summary>
/// <param name="kernel">The kernel.</param>
/// <param name="ring">Where they come from.</param>
/// <param name="connections">Get the results of their sends at once.</param>
[SupportedOSPlatform("linux")]
internal sealed class UringBacklog(UringKernel kernel, UringRing ring, UringConnections connections)
    : IPolledSet
{
    private readonly UringKernel _kernel = kernel;
    private readonly UringRing _ring = ring;
    private readonly UringConnections _connections = connections;
    private UringCompletion[] _completions = new UringCompletion[256];
    private int _first;

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    /// <summary>One of them.</summary>
    /// <param name="index">Its index, from the first one to be taken.</param>
    public ref readonly UringCompletion this[int index]
    {
        get
        {
            Debug.Assert(index < Count, "there is such a completion");
            return ref _completions[(_first + index) & (_completions.Length - 1)];
        }
    }

    public long NowTicks => _kernel.NowTicks;

    public int Wait(int timeoutMs)
    {
        if (Count > 0 || (timeoutMs == 0 && !_ring.HasWork))
            return Count;
        _ring.Enter(timeoutMs == 0 ? 0 : 1, timeoutMs);
        Read();
        return Count;
    }

    /// <summary>Reads what the ring has.</summary>
    public void Read()
    {
        while (_ring.TryRead(out UringCompletion completion))
        {
            if (completion.Mark.Operation == UringOperation.Send)
                NoteSent(in completion);
            else
                Add(in completion);
        }
    }

    /// <summary>Takes the first one.</summary>
    public UringCompletion Take()
    {
        UringCompletion completion = this[0];
        _first = (_first + 1) & (_completions.Length - 1);
        Count--;
        return completion;
    }

    private void NoteSent(in UringCompletion completion)
    {
        ref UringConnection connection = ref _connections[completion.Mark.Index];
        Debug.Assert(connection.Sending == UringSending.Prepared, "a connection has one send at a time");
        connection.Sending = UringSending.Done;
        connection.SendResult = completion.Result;
    }

    private void Add(in UringCompletion completion)
    {
        if (Count == _completions.Length)
        {
            var larger = new UringCompletion[2 * Count];
            for (int index = 0; index < Count; index++)
                larger[index] = this[index];
            (_completions, _first) = (larger, 0);
        }

        _completions[(_first + Count) & (_completions.Length - 1)] = completion;
        Count++;
    }
}
