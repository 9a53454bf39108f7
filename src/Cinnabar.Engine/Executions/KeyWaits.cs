// The waiters of each key, per stripe. docs/adr/0005-waiting-for-keys.md describes it all; in short:
//
//   * A waiter registers with the locks of all its keys' stripes held, those that serving it would write to
//     included. A command that may make a key ready holds the key's stripe: so it sees all its waiters.
//   * Before it runs, such a command widens its locks to all that serving takes (AddNeeds): the stripes of
//     every waiter of its keys, and of every waiter of the keys that serving those writes to, and so on. It
//     checks again when it has them, since waiters may have come meanwhile.
//   * It reports its changes here (Touch), still under its locks, and then serves (Serving).
//   * Waiters leave without locks of stripes: they time out on their loops. So the queues have monitors of
//     their own, one a stripe, taken for a few steps at a time.
//
// Queues are found by the hash of the key's name: a key is in the same stripe in all databases, and a command
// that moves a key to another database needs the waiters there.

using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Memory;

namespace Cinnabar.Engine.Executions;

/// <summary>The keys of a server that clients wait for.</summary>
internal sealed unsafe class KeyWaits
{
    // With more keys than this whose waiters must be checked, all stripes are taken.
    private const int FollowedKeyCountMax = 32;

    // A queue with its entry of a dictionary, and a waiter's place in one.
    private const int QueueBytes = 400;
    private const int PlaceBytes = 80;

    private readonly Keyspace.Keyspace _keyspace;
    private readonly CountedMemory _records;
    private readonly Dictionary<ulong, KeyQueue>[] _byStripe;
    private long _waiterCount;
    private long _keyCount;
    private long _endingKeyCount;

    /// <summary>Makes it without waiters.</summary>
    /// <param name="keyspace">The keys.</param>
    /// <param name="records">Counts the queues.</param>
    public KeyWaits(Keyspace.Keyspace keyspace, CountedMemory records)
    {
        (_keyspace, _records) = (keyspace, records);
        _byStripe = new Dictionary<ulong, KeyQueue>[keyspace.Stripes.Length];
        for (int stripe = 0; stripe < _byStripe.Length; stripe++)
            _byStripe[stripe] = [];
    }

    /// <summary>Whether no client waits for a key.</summary>
    public bool IsEmpty => Volatile.Read(ref _waiterCount) == 0;

    /// <summary>Number of keys that clients wait for.</summary>
    public long KeyCount => Volatile.Read(ref _keyCount);

    /// <summary>Number of keys whose removal ends a wait.</summary>
    public long EndingKeyCount => Volatile.Read(ref _endingKeyCount);

    /// <summary>How often the waiters of a key were looked up before a command. Only for tests: other loops
    /// may have counted at the same time.</summary>
    internal long NeedsLookupCount { get; private set; }

    /// <summary>Registers a waiter; the stripes of all keys of its command are locked.</summary>
    public void Add(Waiter waiter)
    {
        SessionExecution execution = waiter.Execution;
        KeyWait wait = waiter.Keys;
        int keyEnd = wait.FirstKey + wait.KeyCount;
        List<ulong>? targets = null;
        var keys = new KeyArguments(execution.Spec, execution.Arguments);
        while (keys.MoveNext())
        {
            ulong hash = execution.Arguments[keys.Current].Hash;
            waiter.Stripes.Add(_keyspace.StripeIndex(hash));
            if (keys.Current < wait.FirstKey || keys.Current >= keyEnd)
                (targets ??= []).Add(hash);
        }

        if (targets is not null)
            waiter.Targets = [.. targets];
        Interlocked.Increment(ref _waiterCount);
        long newBytes = 0;
        for (int index = wait.FirstKey; index < keyEnd; index++)
            newBytes += Add(waiter, execution.Keys.Database, execution.Key(index));
        _records.Add(newBytes);
        waiter.Session.AddRecordBytes(waiter.RecordBytes);
    }

    /// <summary>Counts the copies of the arguments of a suspended execution.</summary>
    public void CountArguments(Session session, long bytes)
    {
        _records.Add(bytes);
        session.AddRecordBytes(bytes);
    }

    /// <summary>Removes a waiter from all queues; by the thread that has claimed it, with or without
    /// locks.</summary>
    public void Remove(Waiter waiter)
    {
        if (waiter.Places.Count == 0)
            return;
        long freedBytes = 0;
        foreach (KeyPlace place in waiter.Places)
            freedBytes += Remove(place);
        _records.Add(-freedBytes);
        waiter.Session.AddRecordBytes(-waiter.RecordBytes);
        waiter.RecordBytes = 0;
        waiter.Places.Clear();
        Interlocked.Decrement(ref _waiterCount);
    }

    /// <summary>
    /// Adds the stripes that a command which writes to a key needs in order to serve its waiters. The result
    /// is final if the stripes that it adds are locked already.
    /// </summary>
    /// <returns>Whether the key, or another one of its hash, has waiters.</returns>
    public bool AddNeeds(ulong hash, ref StripeSet stripes)
    {
        if (!_keyspace.StripeOf(hash).HasWaiters)
            return false;
        Span<ulong> followed = stackalloc ulong[FollowedKeyCountMax];
        followed[0] = hash;
        int count = 1;
        for (int index = 0; index < count; index++)
        {
            if (TryAddNeeds(followed[index], ref stripes, followed, ref count, out bool isAwaited))
            {
                if (index == 0 && !isAwaited)
                    return false;
                continue;
            }

            stripes = StripeSet.All(_keyspace.Stripes.Length);
            break;
        }

        return true;
    }

    /// <summary>A key has changed; the stripe is locked.</summary>
    public void Touch(KeyspaceAccess access, Stripe stripe, int database, ReadOnlySpan<byte> name)
    {
        if (Find(stripe, database, name, _keyspace.Hash(name)) is { } queue)
            Note(access, queue);
    }

    /// <summary>
    /// All keys of a database are about to be removed or swapped with another's. All stripes are locked.
    /// </summary>
    /// <param name="access">The view of the execution that does it.</param>
    /// <param name="database">The database; −1 stands for all.</param>
    /// <param name="other">The database it is swapped with, or the same.</param>
    public void TouchDatabase(KeyspaceAccess access, int database, int other)
    {
        if (IsEmpty)
            return;
        List<KeyQueue> touched = [];
        foreach (Dictionary<ulong, KeyQueue> queues in _byStripe)
        {
            lock (queues)
            {
                foreach (KeyQueue first in queues.Values)
                {
                    for (KeyQueue? queue = first; queue is not null; queue = queue.SameHash)
                    {
                        bool isTheirs = database < 0 || queue.Database == database || queue.Database == other;
                        if (isTheirs && (database != other || queue.EndingCount > 0))
                            touched.Add(queue);
                    }
                }
            }
        }

        foreach (KeyQueue queue in touched)
            Note(access, queue);
    }

    public KeyPlace? First(KeyQueue queue)
    {
        lock (QueuesOf(queue.Hash))
            return queue.First;
    }

    /// <summary>The next in a queue.</summary>
    public KeyPlace? After(KeyPlace place)
    {
        lock (QueuesOf(place.Queue.Hash))
            return place.Queue.After(place);
    }

    /// <summary>The type of a queue's key at an instant; null where there is no such key. Its stripe is
    /// locked.</summary>
    public static KeyType? TypeOf(KeyspaceAccess access, KeyQueue queue)
    {
        fixed (byte* name = queue.Name)
        {
            EntryView entry = access.PeekIn(queue.Database, new Key(name, queue.Name.Length, queue.Hash));
            return entry.IsMissing ? null : entry.Type;
        }
    }

    // A caller without the stripes for serving (the removal of expired keys) makes the waiters run again
    // themselves.
    private void Note(KeyspaceAccess access, KeyQueue queue)
    {
        if (access.Owner is not SessionExecution owner || (owner.ServedBy ?? owner) is not
            { CanServe: true } server)
        {
            LetTry(access, queue);
            return;
        }

        if (queue.IsReady)
            return;
        queue.IsReady = true;
        server.ReadyQueues.Add(queue);
    }

    private void LetTry(KeyspaceAccess access, KeyQueue queue)
    {
        KeyType? type = TypeOf(access, queue);
        for (KeyPlace? place = First(queue); place is not null; place = After(place))
        {
            Waiter waiter = place.Waiter;
            if (waiter.IsReadyFor(type))
                waiter.Execution.Loop.Run(() => waiter.Execution.Loop.Retry(waiter));
        }
    }

    private Dictionary<ulong, KeyQueue> QueuesOf(ulong hash) => _byStripe[_keyspace.StripeIndex(hash)];

    private KeyQueue? Find(Stripe stripe, int database, ReadOnlySpan<byte> name, ulong hash)
    {
        Dictionary<ulong, KeyQueue> queues = _byStripe[stripe.Index];
        lock (queues)
        {
            KeyQueue? queue = queues.GetValueOrDefault(hash);
            while (queue is not null && !queue.Is(database, name))
                queue = queue.SameHash;
            return queue;
        }
    }

    private bool TryAddNeeds(
        ulong hash, ref StripeSet stripes, Span<ulong> followed, ref int count, out bool isAwaited)
    {
        Dictionary<ulong, KeyQueue> queues = QueuesOf(hash);
        isAwaited = false;
        lock (queues)
        {
            NeedsLookupCount++;
            for (KeyQueue? queue = queues.GetValueOrDefault(hash); queue is not null; queue = queue.SameHash)
            {
                isAwaited = true;
                stripes.Add(in queue.Needs);
                foreach (ulong target in queue.Targets)
                {
                    if (followed[..count].Contains(target))
                        continue;
                    if (count == followed.Length)
                        return false;
                    followed[count++] = target;
                }
            }
        }

        return true;
    }

    // Returns the bytes of what it has made.
    private long Add(Waiter waiter, int database, Key key)
    {
        long bytes = 0;
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        Dictionary<ulong, KeyQueue> queues = _byStripe[stripe.Index];
        lock (queues)
        {
            KeyQueue? first = queues.GetValueOrDefault(key.Hash);
            KeyQueue? queue = first;
            while (queue is not null && !queue.Is(database, key.Span))
                queue = queue.SameHash;
            if (queue is null)
            {
                queue = new KeyQueue(database, key.Span.ToArray(), key.Hash, _keyspace.Stripes.Length)
                {
                    SameHash = first,
                };
                queues[key.Hash] = queue;
                bytes = QueueBytes + key.Length;
                Interlocked.Increment(ref _keyCount);
            }

            bool isEnding = queue.EndingCount > 0;
            if (queue.Add(waiter) is { } place)
            {
                waiter.Places.Add(place);
                waiter.RecordBytes += PlaceBytes + QueueBytes + key.Length;
                bytes += PlaceBytes;
            }

            if (!isEnding && queue.EndingCount > 0)
                Interlocked.Increment(ref _endingKeyCount);
            stripe.HasWaiters = true;
        }

        return bytes;
    }

    // Returns the bytes of what is no more.
    private long Remove(KeyPlace place)
    {
        KeyQueue queue = place.Queue;
        Stripe stripe = _keyspace.StripeOf(queue.Hash);
        Dictionary<ulong, KeyQueue> queues = _byStripe[stripe.Index];
        lock (queues)
        {
            bool isEnding = queue.EndingCount > 0;
            queue.Remove(place);
            if (isEnding && queue.EndingCount == 0)
                Interlocked.Decrement(ref _endingKeyCount);
            if (queue.Count > 0)
                return PlaceBytes;
            Interlocked.Decrement(ref _keyCount);
            Unlink(queues, queue);
            stripe.HasWaiters = queues.Count > 0;
            return PlaceBytes + QueueBytes + queue.Name.Length;
        }
    }

    private static void Unlink(Dictionary<ulong, KeyQueue> queues, KeyQueue queue)
    {
        KeyQueue first = queues[queue.Hash];
        if (first == queue)
        {
            if (queue.SameHash is null)
                queues.Remove(queue.Hash);
            else
                queues[queue.Hash] = queue.SameHash;
            return;
        }

        while (first.SameHash != queue)
            first = first.SameHash!;
        first.SameHash = queue.SameHash;
    }
}
