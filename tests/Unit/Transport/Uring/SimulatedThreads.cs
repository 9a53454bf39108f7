// The threads of loops over a simulated kernel. One of them runs at a time, until it lets another one go on,
// which it does in calls of the kernel only: so what they do together depends on the seed, too.

using System;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Cinnabar.Tests.Unit.Transport.Uring;

/// <summary>Threads that take turns.</summary>
/// <param name="chance">Decides which is next.</param>
/// <param name="actions">What each of them does.</param>
/// <param name="faulted">Called on a thread whose action has failed.</param>
internal sealed class SimulatedThreads(SimulatedChance chance, Action[] actions, Action<int> faulted)
{
    private const int HangMs = 300_000;

    private readonly SimulatedChance _chance = chance;
    private readonly Action[] _actions = actions;
    private readonly Action<int> _faulted = faulted;
    private readonly SemaphoreSlim[] _turns = [.. actions.Select(static _ => new SemaphoreSlim(0))];
    private readonly bool[] _hasEnded = new bool[actions.Length];
    private ExceptionDispatchInfo? _fault;
    private int _current;

    /// <summary>Runs all to their ends.</summary>
    public void Run()
    {
        Thread[] threads = [.. Enumerable.Range(0, _actions.Length)
            .Select(index => new Thread(() => Run(index)))];
        foreach (Thread thread in threads)
            thread.Start();
        _turns[_current].Release();
        foreach (Thread thread in threads)
        {
            if (!thread.Join(HangMs))
                throw new TimeoutException("the loops hang");
        }

        foreach (SemaphoreSlim turn in _turns)
            turn.Dispose();
        _fault?.Throw();
    }

    /// <summary>Lets another thread go on, if one has not ended, until this one is chosen again.</summary>
    public bool TrySwitch()
    {
        int own = _current;
        int[] others = [.. Enumerable.Range(0, _actions.Length)
            .Where(index => index != own && !_hasEnded[index])];
        if (others.Length == 0)
            return false;
        GoOn(others[_chance.Below(others.Length)]);
        Await(own);
        EndIfFailed();
        return true;
    }

    /// <summary>Ends a thread when another one has failed.</summary>
    public void EndIfFailed()
    {
        if (_fault is not null)
            throw new OperationCanceledException("another loop has failed");
    }

    private void Run(int index)
    {
        Await(index);
        try
        {
            _actions[index]();
        }
        catch (Exception fault)
        {
            _fault ??= ExceptionDispatchInfo.Capture(fault);
            _faulted(index);
        }

        _hasEnded[index] = true;
        int next = Array.IndexOf(_hasEnded, false);
        if (next >= 0)
            GoOn(next);
    }

    private void GoOn(int index)
    {
        _current = index;
        _turns[index].Release();
    }

    private void Await(int index)
    {
        if (!_turns[index].Wait(HangMs))
            throw new TimeoutException("a loop has waited too long for its turn");
    }
}
