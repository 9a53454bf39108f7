// One step of the model: a command (or a transaction) and the serving of the waiters whose keys it has made
// ready. The rules are Redis's: a key becomes ready when it is created with a type that a client waits for,
// when a stream gets an entry, and, for waiting consumers of a group, when the key is removed or a group is
// destroyed. The ready keys are served in the order in which they became ready, after the command (or the
// whole transaction), the clients of a key in the order in which they began to wait; each runs its command
// again.

using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;

namespace Cinnabar.Tests.Simulation.Types;

/// <summary>A step of the model from a state to the next.</summary>
internal sealed class ModelRun
{
    private readonly List<Place> _ready = [];
    private ImmutableDictionary<Place, Entry> _keys;
    private ImmutableList<Wait> _waits;
    private ImmutableSortedDictionary<int, Watching> _watches;
    private ImmutableSortedSet<int> _killed;

    /// <summary>Begins in a state.</summary>
    public ModelRun(ModelState state)
    {
        _keys = state.Keys;
        _waits = state.Waits;
        _watches = state.Watches;
        _killed = state.Killed;
        Era = state.Era;
    }

    /// <summary>The client whose command runs.</summary>
    public required int Peer { get; init; }

    /// <summary>The database that it has selected.</summary>
    public required int Database { get; set; }

    /// <summary>For the canary: the last waiter is served first.</summary>
    public bool ServesLastFirst { get; init; }

    /// <summary>The time.</summary>
    public int Era { get; set; }

    /// <summary>Whether no command may wait.</summary>
    public bool IsTransaction { get; set; }

    /// <summary>Whether the ready keys are served in an order that Redis does not define.</summary>
    public bool IsOrderFree { get; private set; }

    /// <summary>How many keys are ready.</summary>
    public int ReadyCount => _ready.Count;

    /// <summary>What the command waits for, where it does.</summary>
    public Wait? Wanted { get; private set; }

    /// <summary>The clients whose wait has ended, with their replies.</summary>
    public List<(int Peer, string Reply)> Ended { get; } = [];

    /// <summary>Whether a client's connection may have ended by now.</summary>
    public Func<int, bool> MayBeGone { get; init; } = static _ => false;

    /// <summary>Which of several possible outcomes to take.</summary>
    public int Choice { get; init; }

    /// <summary>How many there are.</summary>
    public int ChoiceCount { get; private set; } = 1;

    /// <summary>The state that it has led to.</summary>
    public ModelState State => new(_keys, _waits, Era) { Watches = _watches, Killed = _killed };

    /// <summary>A key's value, unless it is past its deadline.</summary>
    public Content? Find(string key) => FindIn(new Place(Database, key))?.Content;

    /// <summary>As <see cref="Find"/>, with its deadline.</summary>
    public Entry? FindIn(Place place)
    {
        if (!_keys.TryGetValue(place, out Entry? entry) || entry.Deadline < Era)
            return null;
        if (entry.Content is not Content.Fields fields)
            return entry;
        Content.Fields left = fields.At(Era);
        return left.IsEmpty ? null : entry with { Content = left };
    }

    /// <summary>A key's value of a type.</summary>
    /// <returns>False where it is of another one.</returns>
    public bool TryGet<T>(string key, out T? content)
        where T : Content
    {
        Content? found = Find(key);
        content = found as T;
        return found is null || content is not null;
    }

    /// <summary>The names of all keys that are there.</summary>
    public IEnumerable<string> All() => _keys.Keys
        .Where(place => place.Database == Database && FindIn(place) is not null)
        .Select(static place => place.Key);

    /// <summary>Changes a key's value, or makes it; it keeps its deadline.</summary>
    public void Put(string key, Content content) =>
        Store(new Place(Database, key), content, FindIn(new Place(Database, key))?.Deadline);

    /// <summary>Gives a key a value and a deadline.</summary>
    public void Store(Place place, Content content, int? deadline)
    {
        Content? old = FindIn(place)?.Content;
        if (content.IsEmpty || deadline < Era)
        {
            Remove(place);
            return;
        }

        bool isNew = old?.Kind != content.Kind;
        if (isNew)
            Remove(place);
        var entry = new Entry(content, deadline);
        Note(place, isNew ? null : FindIn(place), entry);
        _keys = _keys.SetItem(place, entry);
        if (isNew)
            MakeReady(place, wait => wait.Kind == content.Kind || wait.EndsWithKey);
    }

    /// <summary>Removes a key.</summary>
    /// <returns>Whether it was there.</returns>
    public bool Remove(Place place)
    {
        Entry? old = FindIn(place);
        if (!_keys.ContainsKey(place))
            return false;
        if (old is not null)
            Note(place, old, null);
        _keys = _keys.Remove(place);
        MakeReady(place, static wait => wait.EndsWithKey);
        return old is not null;
    }

    /// <summary>A stream got an entry, or has lost a group.</summary>
    public void Touch(string key) =>
        MakeReady(new Place(Database, key), static wait => wait.Kind == Content.Stream.None.Kind);

    /// <summary>All keys of one database, or of all, are gone.</summary>
    public void Clear(int? database)
    {
        IsOrderFree = true;
        foreach (Place place in _keys.Keys.ToArray())
        {
            if (database is null || place.Database == database)
                Remove(place);
        }
    }

    /// <summary>Two databases change places.</summary>
    public void Swap(int one, int other)
    {
        IsOrderFree = true;
        foreach ((int peer, Watching watching) in _watches)
        {
            bool isBroken = watching.Keys.Exists(key => FindIn(key.Place with { Database = one }) is not null
                || FindIn(key.Place with { Database = other }) is not null);
            _watches = _watches.SetItem(peer, watching with { IsBroken = watching.IsBroken || isBroken });
        }

        _keys = _keys.ToImmutableDictionary(
            entry => entry.Key with
            {
                Database = entry.Key.Database == one ? other
                    : entry.Key.Database == other ? one : entry.Key.Database,
            },
            static entry => entry.Value);
        foreach (Wait wait in _waits.Where(wait => wait.Database == one || wait.Database == other))
        {
            foreach (string key in wait.Keys)
                MakeReady(new Place(wait.Database, key), static _ => true);
        }
    }

    /// <summary>The client watches a key.</summary>
    public void Watch(string key)
    {
        var place = new Place(Database, key);
        Content? content = FindIn(place)?.Content;
        var watched = new WatchedKey(place, content is not null, content is Content.Fields, Era);
        Watching old = _watches.GetValueOrDefault(Peer) ?? Watching.None;
        _watches = _watches.SetItem(Peer, old.With(watched));
    }

    /// <summary>Ends the client's watches.</summary>
    /// <returns>Whether something that it watched has changed.</returns>
    public bool Unwatch()
    {
        if (_watches.GetValueOrDefault(Peer) is not { } watching)
            return false;
        _watches = _watches.Remove(Peer);
        if (watching.IsBroken || watching.Keys.Exists(one => one.WasThere && FindIn(one.Place) is null))
            return true;
        bool mayBe = watching.MayBeBroken || watching.Keys.Exists(one => one.IsHash && one.Era < Era);
        return mayBe && Choose();
    }

    /// <summary>Removes a client with its wait and its pending commands.</summary>
    /// <returns>Whether there was one to be killed.</returns>
    public bool Kill(int peer)
    {
        bool isThere = !_killed.Contains(peer) && !(MayBeGone(peer) && Choose());
        _killed = _killed.Add(peer);
        End(peer, Shown.Killed);
        return isThere;
    }

    /// <summary>The command waits, until it is run again and has a reply.</summary>
    public string? Block(string kind, string[] keys, Func<ModelRun, string?> again)
    {
        if (IsTransaction)
            return Shown.Null;
        Wanted = new Wait(Peer, Database, [.. keys], kind, again);
        return null;
    }

    /// <summary>As <see cref="Block"/>, for a reader of streams.</summary>
    public string? BlockOnStreams(string[] keys, Func<ModelRun, string?> again, string meaning, bool isGroup)
    {
        string? reply = Block(Content.Stream.None.Kind, keys, again);
        Wanted = Wanted is null ? null : Wanted with { Meaning = meaning, EndsWithKey = isGroup };
        return reply;
    }

    /// <summary>Ends a wait.</summary>
    /// <returns>Whether there was one.</returns>
    public bool End(int peer, string reply)
    {
        if (_waits.Find(wait => wait.Peer == peer) is not { } found)
            return false;
        _waits = _waits.Remove(found);
        Ended.Add((peer, reply));
        return true;
    }

    /// <summary>Begins the wait that the command wants.</summary>
    public void BeginWait()
    {
        _waits = _waits.Add(Wanted!);
        Wanted = null;
    }

    /// <summary>Runs the command of a waiting client again.</summary>
    public void Retry(Wait wait)
    {
        if (Again(wait) is { } reply)
            End(wait.Peer, reply);
    }

    /// <summary>Puts the ready keys into another order.</summary>
    public void Reorder(int permutation)
    {
        var left = _ready.ToList();
        _ready.Clear();
        while (left.Count > 0)
        {
            int index = permutation % left.Count;
            permutation /= left.Count;
            _ready.Add(left[index]);
            left.RemoveAt(index);
        }
    }

    /// <summary>Serves the waiters of the ready keys.</summary>
    public void Serve()
    {
        IsTransaction = false;
        while (_ready.Count > 0)
        {
            Place place = _ready[0];
            _ready.RemoveAt(0);
            IEnumerable<Wait> queue = _waits.Where(wait => wait.IsFor(place));
            foreach (Wait wait in ServesLastFirst ? queue.Reverse().ToArray() : queue.ToArray())
            {
                if (FindIn(place)?.Content.Kind != wait.Kind && !wait.EndsWithKey)
                    continue;
                if (Again(wait) is { } reply)
                    End(wait.Peer, reply);
            }
        }
    }

    private string? Again(Wait wait)
    {
        Database = wait.Database;
        string? reply = wait.Again(this);
        Wanted = null;
        return reply;
    }

    private bool Choose()
    {
        ChoiceCount = 2;
        return Choice == 1;
    }

    private void Note(Place place, Entry? old, Entry? @new)
    {
        foreach ((int peer, Watching watching) in _watches)
            _watches = _watches.SetItem(peer, watching.After(place, old, @new));
    }

    private void MakeReady(Place place, Func<Wait, bool> concerns)
    {
        if (!_ready.Contains(place) && _waits.Exists(wait => wait.IsFor(place) && concerns(wait)))
            _ready.Add(place);
    }
}
