// Searches for an order of a history's operations that respects real time (what returned before another was
// invoked comes before it), each client's own order, and the sequential meaning of the commands. For
// registers that is linearizability; for operations on several keys, and transactions that depend on what was
// watched, it is strict serializability.
//
// The search is Wing and Gong's, with Lowe's memory of visited places: a place is the set of operations done
// and the state they led to, and no place is searched twice. Operations that share no key and no client, not
// even through others, are searched separately: a history of registers becomes one small search a key. An
// unanswered operation may take effect at any time after it was invoked, or never.
//
// Limits: exponential where many operations overlap; after PlaceCountMax places it gives up (Inconclusive).

using System;
using System.Collections.Generic;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Histories;

/// <summary>Checks recorded histories.</summary>
public sealed class LinearizabilityChecker
{
    private const int PlaceCountMax = 1_000_000;

    private readonly ISequentialModel _model;
    private readonly Operation[] _operations;
    private readonly int[] _previousOfClient;
    private readonly int _keyCount;
    private readonly bool[] _isDone;
    private readonly HashSet<string> _visited = [];
    private int _knownLeft;
    private bool _isGivenUp;

    private LinearizabilityChecker(ISequentialModel model, Operation[] operations, int keyCount)
    {
        _model = model;
        _operations = operations;
        _keyCount = keyCount;
        _isDone = new bool[operations.Length];
        _knownLeft = operations.Count(static operation => operation.IsKnown);
        _previousOfClient = new int[operations.Length];
        var last = new Dictionary<int, int>();
        for (int index = 0; index < operations.Length; index++)
        {
            _previousOfClient[index] = last.GetValueOrDefault(operations[index].Client, -1);
            last[operations[index].Client] = index;
        }
    }

    /// <summary>Checks a history of strings.</summary>
    public static Verdict Check(IReadOnlyList<Operation> history) => Check(history, new KeyValueModel());

    /// <summary>Checks a history; operations of one client are in its order.</summary>
    public static Verdict Check(IReadOnlyList<Operation> history, ISequentialModel model)
    {
        if (history.Count == 0)
            return Verdict.Linearizable;
        int keyCount =
            1 + history.Max(static operation => operation.Calls.Max(static call => call.Keys.Max()));
        int clientCount = 1 + history.Max(static operation => operation.Client);
        Verdict verdict = Verdict.Linearizable;
        foreach (Operation[] part in Partition(history, keyCount, clientCount))
        {
            var checker = new LinearizabilityChecker(model, part, keyCount);
            if (checker.Search(model.Initial(keyCount, clientCount)))
                continue;
            if (!checker._isGivenUp)
                return Verdict.Violation;
            verdict = Verdict.Inconclusive;
        }

        return verdict;
    }

    /// <summary>
    /// Parts of a history that share no key. A client's operations on different keys may part too, unless it
    /// watches.
    /// </summary>
    private static List<Operation[]> Partition(
        IReadOnlyList<Operation> history, int keyCount, int clientCount)
    {
        var parents = Enumerable.Range(0, keyCount + clientCount).ToArray();
        int Find(int item)
        {
            while (parents[item] != item)
                item = parents[item];
            return item;
        }

        foreach (Operation operation in history)
        {
            int first = operation.Calls[0].Keys[0];
            foreach (Call call in operation.Calls)
            {
                foreach (int key in call.Keys)
                    parents[Find(key)] = Find(first);
                if (call.Kind == CallKind.Watch || operation.IsTransaction)
                    parents[Find(keyCount + operation.Client)] = Find(first);
            }
        }

        return [.. history.GroupBy(operation => Find(operation.Calls[0].Keys[0]))
            .Select(static part => part.OrderBy(static operation => operation.InvokedAt).ToArray())];
    }

    private bool Search(long[] state)
    {
        if (_knownLeft == 0)
            return true;
        if (!_visited.Add(PlaceOf(state)))
            return false;
        if (_visited.Count > PlaceCountMax)
        {
            _isGivenUp = true;
            return false;
        }

        long returnedFirst = long.MaxValue;
        for (int index = 0; index < _operations.Length; index++)
        {
            if (!_isDone[index])
                returnedFirst = Math.Min(returnedFirst, _operations[index].ReturnedAt);
        }

        for (int index = 0; index < _operations.Length && !_isGivenUp; index++)
        {
            Operation operation = _operations[index];
            if (operation.InvokedAt > returnedFirst)
                break;
            if (!_isDone[index] && (_previousOfClient[index] < 0 || _isDone[_previousOfClient[index]])
                && TryStep(index, state))
                return true;
        }

        return false;
    }

    private bool TryStep(int index, long[] state)
    {
        var next = (long[])state.Clone();
        if (!_model.TryApply(ref next, _keyCount, _operations[index]))
            return false;
        _isDone[index] = true;
        _knownLeft -= _operations[index].IsKnown ? 1 : 0;
        if (Search(next))
            return true;
        _isDone[index] = false;
        _knownLeft += _operations[index].IsKnown ? 1 : 0;
        return false;
    }

    private string PlaceOf(long[] state)
    {
        int first = Array.IndexOf(_isDone, false);
        int length = _isDone.Length - first + 1 + (4 * state.Length);
        return string.Create(length, (this, state, first),
            static (place, from) =>
            {
                var (checker, numbers, start) = from;
                int at = 0;
                place[at++] = (char)start;
                for (int index = start; index < checker._isDone.Length; index++)
                    place[at++] = checker._isDone[index] ? '1' : '0';
                foreach (long number in numbers)
                {
                    for (int shift = 0; shift < 64; shift += 16)
                        place[at++] = (char)(ushort)(number >> shift);
                }
            });
    }
}
