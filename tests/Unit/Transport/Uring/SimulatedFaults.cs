using System.Collections.Generic;
using System.Linq;
using System.Runtime.Versioning;
using Cinnabar.Platform;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Uring;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The errors of the simulated kernel. All but those of broken connections are transient: what
/// failed can be tried again.</summary>
[SupportedOSPlatform("linux")]
internal sealed class SimulatedFaults : ISimulatedFaults
{
    private const int BrokenPipe = 32;
    private const int Protocol = 71;
    private const int Overflow = 75;
    private const int BadState = 77;
    private const int Reset = 104;
    private const int PeerTimedOut = 110;
    private const int Unreachable = 113;
    private const int Already = 114;
    private const int OwnerDead = 130;

    // A call fails once in so many times. Connections and messages are few, so theirs fail often.
    private static readonly Dictionary<SimulatedCall, (ulong OneIn, int[] Errors)> s_faults = new()
    {
        [SimulatedCall.Enter] = (50, [EpollCalls.Interrupted, UringCalls.Busy]),
        [SimulatedCall.Submit] = (50, [EpollCalls.Again, EpollCalls.NoMemory]),
        [SimulatedCall.Wait] = (1, [UringCalls.TimedOut]),
        [SimulatedCall.Accept] = (2, [EpollCalls.TooManyFiles, EpollCalls.TooManyFilesInSystem,
            EpollCalls.NoBuffers, EpollCalls.NoMemory, EpollCalls.Aborted, EpollCalls.Interrupted,
            EpollCalls.Again, Protocol]),
        [SimulatedCall.Receive] = (20, [EpollCalls.Interrupted, EpollCalls.Again, EpollCalls.NoMemory,
            EpollCalls.NoBuffers]),
        [SimulatedCall.ReceiveBroken] = (1, [Reset, PeerTimedOut, Unreachable]),
        [SimulatedCall.Send] = (20, [EpollCalls.Interrupted, EpollCalls.Again, EpollCalls.NoMemory,
            EpollCalls.NoBuffers]),
        [SimulatedCall.SendBroken] = (1, [BrokenPipe, Reset]),
        [SimulatedCall.Poll] = (10, [EpollCalls.NoMemory, EpollCalls.Interrupted]),
        [SimulatedCall.Read] = (10, [EpollCalls.Interrupted, EpollCalls.Again, EpollCalls.NoMemory]),
        // Between two states: the caller has to come again.
        [SimulatedCall.Cancel] = (8, [Already]),
        [SimulatedCall.Message] = (2, [Overflow, BadState, OwnerDead, EpollCalls.NoMemory]),
    };

    // Each error of a call occurs once before one occurs again: some calls fail hardly once a run.
    private readonly Dictionary<SimulatedCall, Queue<int>> _first = [];
    private readonly HashSet<(SimulatedCall Call, int Error)> _met = [];
    private RandomSource _random;

    /// <summary>Makes it.</summary>
    /// <param name="seed">Decides which calls fail, and how.</param>
    public SimulatedFaults(ulong seed)
    {
        _random = new RandomSource(seed);
        foreach ((SimulatedCall call, (_, int[] errors)) in s_faults)
            _first.Add(call, new Queue<int>(errors.OrderBy(_ => _random.Next())));
    }

    /// <summary>The errors that have occurred.</summary>
    public IReadOnlySet<(SimulatedCall Call, int Error)> Met => _met;

    /// <summary>All errors.</summary>
    public static HashSet<(SimulatedCall Call, int Error)> All
    {
        get
        {
            var all = new HashSet<(SimulatedCall Call, int Error)>();
            foreach ((SimulatedCall call, (_, int[] errors)) in s_faults)
            {
                foreach (int error in errors)
                    all.Add((call, error));
            }

            return all;
        }
    }

    /// <inheritdoc/>
    public bool Occurs(SimulatedCall call, out int result)
    {
        result = 0;
        // Rings are there from the beginning.
        if (!s_faults.TryGetValue(call, out (ulong OneIn, int[] Errors) fault))
            return false;
        (ulong oneIn, int[] errors) = fault;
        if (_random.NextBelow(oneIn) > 0)
            return false;
        if (!_first[call].TryDequeue(out int error))
            error = errors[_random.NextBelow((ulong)errors.Length)];
        _met.Add((call, error));
        result = -error;
        return true;
    }
}
