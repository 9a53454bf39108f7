// Clients have sent concurrent commands, and all is quiet: every command has been answered or waits for a
// key. Which order did they take effect in? The search tries on the model all orders that respect each
// client's own order and real time (an answer before a request): an order is good if every reply is the
// model's, and exactly the right clients wait. What only the server decides is tried in all ways: when a wait
// timed out, when a vanished client was gone, when the deadlines between two eras passed and when the waiters
// of a key that expired so were notified.
//
// All states that good orders lead to are kept: the next commands start from each. No place (how far each
// client is, and the state) is searched twice.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>Searches for the orders that explain the clients' replies.</summary>
internal sealed class OrderSearch
{
    private const int PlaceCountMax = 40_000;
    private const int ReorderedKeyCountMax = 4;

    private readonly TypedPeer[] _peers;
    private readonly Dictionary<int, int> _indexes = [];
    private readonly int[] _next;
    private readonly HashSet<string> _visited = [];
    private readonly Dictionary<string, ModelState> _found = [];
    private bool _hasEraPassed;

    /// <summary>Makes a search.</summary>
    /// <param name="peers">All clients that have sent something or waited since it was quiet last.</param>
    public OrderSearch(IEnumerable<TypedPeer> peers)
    {
        _peers = [.. peers];
        for (int index = 0; index < _peers.Length; index++)
            _indexes[_peers[index].Number] = index;
        _next = [.. _peers.Select(static peer => peer.Next)];
    }

    /// <summary>When the era has changed, in steps; <see cref="TypedOperation.Never"/>: it has not.</summary>
    public long EraPassedAt { get; init; } = TypedOperation.Never;

    /// <summary>For the canary: the last waiter is expected to be served first.</summary>
    public bool ServesLastFirst { get; init; }

    /// <summary>When a client's connection may have ended at the earliest, in steps.</summary>
    public required Func<int, long> LostFrom { get; init; }

    /// <summary>Whether it was given up.</summary>
    public bool IsGivenUp { get; private set; }

    /// <summary>States that good orders lead to from one of these.</summary>
    public List<ModelState> Find(IEnumerable<ModelState> states)
    {
        foreach (ModelState state in states)
        {
            _hasEraPassed = EraPassedAt == TypedOperation.Never;
            Search(state);
        }

        return [.. _found.Values];
    }

    private void Search(ModelState state)
    {
        string place = string.Create(CultureInfo.InvariantCulture,
            $"{string.Join(',', _next)} {_hasEraPassed} {state.Digest}");
        if (IsGivenUp || !_visited.Add(place))
            return;
        if (_visited.Count > PlaceCountMax)
        {
            IsGivenUp = true;
            return;
        }

        if (IsEnd(state))
            _found.TryAdd(state.Digest, state);
        long horizon = Horizon(state);
        if (!_hasEraPassed && EraPassedAt <= horizon)
        {
            _hasEraPassed = true;
            Search(state with { Era = state.Era + 1 });
            _hasEraPassed = false;
        }

        for (int index = 0; index < _peers.Length; index++)
        {
            if (state.WaitOf(_peers[index].Number) is { } wait)
                TryEnd(state, index, wait, horizon);
            else if (_next[index] < _peers[index].Operations.Count
                && _peers[index].Operations[_next[index]].SentAt <= horizon)
                TryRun(state, index);
        }
    }

    // An operation must not take effect before one that ended before it began.
    private long Horizon(ModelState state)
    {
        long horizon = _hasEraPassed ? TypedOperation.Never : EraPassedAt;
        for (int index = 0; index < _peers.Length; index++)
        {
            TypedPeer peer = _peers[index];
            if (state.WaitOf(peer.Number) is not null)
            {
                long returnedAt = peer.Operations[_next[index] - 1].ReturnedAt;
                horizon = Math.Min(horizon, Math.Min(returnedAt, peer.LostAt));
            }
            else if (_next[index] < peer.Operations.Count)
            {
                TypedOperation operation = peer.Operations[_next[index]];
                horizon = Math.Min(horizon, Math.Min(operation.ReturnedAt, operation.BlockedAt));
            }
        }

        return horizon;
    }

    private bool IsEnd(ModelState state)
    {
        // Killed clients must be gone.
        if (!_hasEraPassed || state.Killed.Any(one => LostFrom(one) == TypedOperation.Never))
            return false;
        for (int index = 0; index < _peers.Length; index++)
        {
            TypedPeer peer = _peers[index];
            Wait? wait = state.WaitOf(peer.Number);
            bool isOver = peer.IsLost
                ? wait is null && _next[index] >= peer.AnsweredCount
                : wait is null
                    ? _next[index] == peer.Operations.Count
                    : peer.Operations[_next[index] - 1].Reply is null && !HasLostKey(state, wait);
            if (!isOver)
                return false;
        }

        return true;
    }

    private static bool HasLostKey(ModelState state, Wait wait)
    {
        var run = new ModelRun(state) { Peer = wait.Peer, Database = wait.Database };
        return wait.EndsWithKey && wait.Keys.Any(key => run.Find(key) is null);
    }

    private void TryRun(ModelState state, int index)
    {
        TypedPeer peer = _peers[index];
        TypedOperation operation = peer.Operations[_next[index]];
        if (state.Killed.Contains(peer.Number))
            return;
        if (operation.IsRefused && EraPassedAt != TypedOperation.Never)
        {
            // A transaction that is refused has ended.
            bool isOver = operation.Reply == Shown.BusyTransaction;
            _next[index]++;
            Search(isOver ? state with { Watches = state.Watches.Remove(peer.Number) } : state);
            _next[index]--;
            return;
        }

        int choiceCount = 1;
        for (int choice = 0; choice < choiceCount; choice++)
        {
            int orderCount = 1;
            for (int order = 0; order < orderCount; order++)
            {
                var run = new ModelRun(state)
                {
                    Peer = peer.Number, Database = peer.Database, ServesLastFirst = ServesLastFirst,
                    MayBeGone = one => LostFrom(one) <= operation.ReturnedAt, Choice = choice,
                };
                string? reply = operation.Run(run);
                choiceCount = run.ChoiceCount;
                if (run.IsOrderFree && order == 0)
                    orderCount = Orders(Math.Min(run.ReadyCount, ReorderedKeyCountMax));
                run.Reorder(order);
                if (reply is null)
                    run.BeginWait();
                run.Serve();
                _next[index]++;
                if ((reply is null || IsNotified(peer, operation, reply)) && AreNotified(run))
                    Search(run.State);
                _next[index]--;
            }
        }
    }

    private static int Orders(int count) => count <= 1 ? 1 : count * Orders(count - 1);

    // A wait ends without a command: by its time, with its client, or with a key that was past its deadline.
    private void TryEnd(ModelState state, int index, Wait wait, long horizon)
    {
        TypedPeer peer = _peers[index];
        TypedOperation operation = peer.Operations[_next[index] - 1];
        bool isLate = operation.TimeoutMs > 0 && (operation.Reply is null ? peer.IsLost
            : operation.Reply == Shown.Null
                && operation.ReturnedMs - operation.SentMs >= operation.TimeoutMs);
        if (isLate || (peer.IsLost && peer.LostFrom <= horizon && operation.Reply is null))
            Search(state with { Waits = state.Waits.Remove(wait) });
        // Any change of a stream makes its readers run again, and find that another of their keys is no
        // stream; in Redis only some changes do.
        if (wait.Kind != Content.Stream.None.Kind)
            return;
        var run = new ModelRun(state) { Peer = peer.Number, Database = wait.Database };
        run.Retry(wait);
        if (run.Ended.Count > 0 && AreNotified(run))
            Search(run.State);
    }

    private bool AreNotified(ModelRun run)
    {
        foreach ((int number, string reply) in run.Ended)
        {
            int index = _indexes[number];
            if (!IsNotified(_peers[index], _peers[index].Operations[_next[index] - 1], reply))
                return false;
        }

        return true;
    }

    private static bool IsNotified(TypedPeer peer, TypedOperation operation, string reply) =>
        operation.Reply is null ? peer.IsLost : operation.Reply == reply;
}
