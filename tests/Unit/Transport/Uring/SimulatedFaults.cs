using System;
using System.Collections.Generic;
using System.Runtime.Versioning;
using Cinnabar.Platform;
using Cinnabar.Transport.Epoll;
using Cinnabar.Transport.Uring;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>The errors of the simulated kernel. All but those of broken connections are transient: what
/// failed can be tried again.</summary>
/// <param name="seed">Decides which call fails.</param>
/// <param name="unmet">The errors that were not met yet: they go first, so a seed alone does not give the
/// same errors again. Those that occur are removed.</param>
[SupportedOSPlatform("linux")]
internal sealed class SimulatedFaults(ulong seed, HashSet<(SimulatedCall Call, int Error)> unmet)
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

    private readonly HashSet<(SimulatedCall Call, int Error)> _unmet = unmet;
    private RandomSource _random = new(seed);

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

    /// <summary>Whether a call fails now.</summary>
    /// <param name="call">The call.</param>
    /// <param name="result">Its result then: a negative number of errno.</param>
    public bool Occurs(SimulatedCall call, out int result)
    {
        (ulong oneIn, int[] errors) = s_faults[call];
        result = 0;
        if (_random.NextBelow(oneIn) > 0)
            return false;
        int drawn = (int)_random.NextBelow((ulong)errors.Length);
        // One that was not met goes first: some calls fail hardly once a run.
        int unmet = Array.FindIndex(errors, error => _unmet.Contains((call, error)));
        int error = errors[unmet >= 0 ? unmet : drawn];
        _unmet.Remove((call, error));
        result = -error;
        return true;
    }
}
