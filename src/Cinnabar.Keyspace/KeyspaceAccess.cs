// What an execution sees of the key space. It holds the locks of all stripes it touches (the engine takes
// them), so every method here is single-threaded code. Two rules apply in this class:
//
//  * Reads mask: a key past its deadline is missing for every command, though its memory may still be there,
//    and so is a hash whose fields are all past theirs. A write that finds such a key removes it first, as an
//    expiry and not as part of the command.
//  * Mutation has two sides. Every change of an entry calls BeforeChange first; a command declares what it
//    did with Changed, and these effects are committed once, by Commit, while the stripes are still locked.

using Cinnabar.Keyspace.Entries;
using Cinnabar.Memory;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

/// <summary>An execution's view of the key space: a database, a frozen instant, the effects so far.
/// <see cref="Begin"/> starts an execution on it.</summary>
public sealed unsafe class KeyspaceAccess
{
    private readonly Keyspace _keyspace;
    private readonly EffectBuffer _effects = new();

    /// <summary>Of <see cref="AccessFrequency"/>'s generator.</summary>
    internal ulong ChanceState;

    /// <summary>Which entry a prefetch found; lookups use it while that holds. A mutable struct.</summary>
    public ExpectedEntry Expected;

    /// <summary>Makes a view.</summary>
    public KeyspaceAccess(Keyspace keyspace, KeyspaceStatistics statistics)
    {
        (_keyspace, Statistics) = (keyspace, statistics);
        Effects = new Effects(this);
    }

    /// <summary>The key space.</summary>
    public Keyspace Keyspace => _keyspace;

    /// <summary>What the journal gets from the execution.</summary>
    public Effects Effects { get; }

    /// <summary>What lookaheads have noted.</summary>
    public Foresight Foresight { get; } = new();

    /// <summary>The selected database.</summary>
    public int Database { get; set; }

    /// <summary>The execution's instant, Unix time in milliseconds.</summary>
    public long NowMs { get; private set; }

    /// <summary>The instant that deadlines are compared with: a key is gone once its deadline is not later.
    /// It is <see cref="NowMs"/>, or 0 for an execution that sees expired keys: no deadline is as
    /// early.</summary>
    public long ExpiryNowMs { get; private set; }

    /// <summary>Whether keys and fields past their deadline are seen as if they had none (CLIENT
    /// IMPORT-SOURCE).</summary>
    public bool SeesExpired { get; set; }

    /// <summary>Whether reads leave the access clock alone (CLIENT NO-TOUCH).</summary>
    public bool IsNoTouch { get; set; }

    /// <summary>Whose view it is, for the observer; null: the housekeeping's.</summary>
    public object? Owner { get; set; }

    /// <summary>Whether its changes are no news: data that are loaded or replayed.</summary>
    public bool IsSilent { get; set; }

    /// <summary>What the observer collects until <see cref="IKeyspaceObserver.Committed"/>.</summary>
    public object? Collected { get; set; }

    /// <summary>Number of changes that the execution has made; 0 to go on at the same instant.</summary>
    public long ChangeCount { get; set; }

    /// <summary>Counters; replaced when the execution moves to the slow lane.</summary>
    public KeyspaceStatistics Statistics { get; set; }

    /// <summary>Starts an execution at an instant.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Begin(int database, long nowMs)
    {
        Debug.Assert((uint)database < (uint)_keyspace.TableCount, "no such database");
        Debug.Assert(_effects.Count == 0, "the effects of the execution before were not committed");
        Database = database;
        GoOn(nowMs);
    }

    /// <summary>Goes on at a later instant with an execution that has changed nothing: the keys past their
    /// deadline that it has met are removed when it commits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void GoOn(long nowMs)
    {
        NowMs = nowMs;
        ExpiryNowMs = SeesExpired ? 0 : nowMs;
        ChangeCount = 0;
    }

    /// <summary>Looks a key up for a command that reads: counts hit or miss and notes the access.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public EntryView Find(scoped in Key key)
    {
        byte* entry = Locate(in key);
        if (entry == null)
        {
            Statistics.Misses++;
            if ((_keyspace.ReportedEvents & ReportedEvents.Misses) != 0)
                this.NoteMiss(in key);
            return default;
        }

        Statistics.Hits++;
        if (!IsNoTouch && KeyEntry.AccessClock(entry) != ClockSeconds)
            AccessNote.Read(this, entry);
        return new EntryView(entry);
    }

    /// <summary>As <see cref="Find"/>, for a command that only looks at a key: notes no access.</summary>
    public EntryView FindUntouched(scoped in Key key)
    {
        byte* entry = Locate(in key);
        Statistics.CountLookup(entry != null);
        if (entry == null && (_keyspace.ReportedEvents & ReportedEvents.Misses) != 0)
            this.NoteMiss(in key);
        return new EntryView(entry);
    }

    /// <summary>Looks a key up for a command that writes: notes the access, counts nothing.</summary>
    public EntryView FindForWrite(scoped in Key key)
    {
        byte* entry = Locate(in key);
        if (entry != null)
            Touch(entry);
        return new EntryView(entry);
    }

    /// <summary>Looks a key up and notes nothing (OBJECT, TYPE with no touch, DEBUG).</summary>
    public EntryView Peek(scoped in Key key) => new(Locate(in key));

    /// <summary>As <see cref="Peek"/>, in another database.</summary>
    public EntryView PeekIn(int database, scoped in Key key) => new(Locate(database, in key));

    /// <summary>Looks up the place of a key's value for a command that will change it: notes the access,
    /// counts nothing.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public ValueSlot FindSlot(scoped in Key key)
    {
        byte* slot = LocateSlot(Database, in key);
        if (slot == null)
            return default;
        Touch(SegmentTable<KeyEntry>.EntryIn(slot));
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        SlotReference found = SegmentTable<KeyEntry>.ReferenceTo(slot, key.Hash);
        return new ValueSlot(this, stripe, stripe.Table(Database)!, found);
    }

    /// <summary>Makes an entry for a collection, without deadline, in place of whatever the key has. The
    /// caller fills in the payload, whose contents are undefined, and declares the change.</summary>
    public ValueSlot CreateValue(scoped in Key key, KeyType type, KeyEncoding encoding, int payloadSize)
    {
        Debug.Assert(payloadSize is >= 0 and <= KeyEntry.InlineValueLengthMax, "too much for an entry");
        KeyType? old = this.RemoveEvenExpired(Database, in key);
        if (_keyspace.ReportedEvents != 0)
            EventNotes.NoteStored(this, in key, old, type);
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        DatabaseTable table = stripe.TableOrNew(Database);
        byte* entry = stripe.NewEntry(type, encoding, key.Span, deadlineMs: -1, payloadSize);
        KeyEntry.SetInlineLength(entry, payloadSize);
        KeyEntry.SetAccessClock(entry, AccessNote.Initial(this));
        table.Entries.Insert(key.Hash, entry);
        if (!table.Entries.TryFind(key.Hash, key.Span, out SlotReference slot))
            throw new InvalidOperationException("A key that was just added is not there.");
        return new ValueSlot(this, stripe, table, slot);
    }

    /// <summary>Removes a key; declares nothing.</summary>
    /// <returns>False where there was none, or it was past its deadline.</returns>
    public bool Remove(in Key key)
    {
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        if (stripe.Table(Database) is not { } table || !table.Entries.TryFind(key.Hash, key.Span,
            out var slot))
            return false;
        byte* entry = slot.Entry;
        if (IsPastDeadline(entry))
        {
            this.Expire(stripe, table, slot, Database);
            return false;
        }

        this.RemoveAt(stripe, table, slot);
        return true;
    }

    /// <summary>Gives a key a deadline, in Unix ms, or with −1 takes it away; declares nothing.</summary>
    /// <returns>False where there is no such key.</returns>
    public bool SetDeadline(in Key key, long deadlineMs)
    {
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        if (stripe.Table(Database) is not { } table
            || !table.Entries.TryFind(key.Hash, key.Span, out var slot) || IsPastDeadline(slot.Entry))
            return false;
        byte* entry = slot.Entry;
        bool had = KeyEntry.HasDeadline(entry);
        // The same deadline again must not become one more record of the index: it would never be found
        // stale.
        if (had ? KeyEntry.Deadline(entry) == deadlineMs : deadlineMs < 0)
            return true;
        stripe.BeforeChange(table, entry);
        EntryDeadline.Forget(stripe, table, entry);
        if (had && deadlineMs >= 0)
            KeyEntry.SetDeadline(entry, deadlineMs);
        else
            EntryShape.Change(stripe, table, slot, KeyEntry.PayloadSize(entry), deadlineMs);
        EntryDeadline.Note(this, stripe, table, key.Hash, deadlineMs);
        return true;
    }

    /// <summary>Moves or copies a key's value to another name, overwriting what was there; the deadline is
    /// kept. Declares nothing. The source must exist.</summary>
    /// <returns>The type of what was overwritten; null: nothing was.</returns>
    public KeyType? Transfer(in Key source, in Key target, int targetDatabase, bool isCopy) =>
        KeyTransfer.Run(this, in source, in target, targetDatabase, isCopy);

    /// <summary>Empties a database, or with −1 all; all stripes are locked. The memory is freed in slices by
    /// the housekeeping.</summary>
    /// <returns>Number of keys removed.</returns>
    public long Flush(int database)
    {
        Debug.Assert(database >= -1 && database < _keyspace.DatabaseCount, "no such database");
        _keyspace.Observer?.DatabaseChanging(this, database, database);
        long count = 0;
        foreach (Stripe stripe in _keyspace.Stripes)
        {
            for (int index = 0; index < _keyspace.DatabaseCount; index++)
            {
                if (database < 0 || index == database)
                    count += stripe.Detach(index);
            }
        }

        ChangeCount += count;
        return count;
    }

    /// <summary>Empties all databases, and frees their memory at once, for data that take their place: this
    /// counts as no change. All stripes are locked.</summary>
    /// <param name="isLazy">Whether the housekeeping frees the memory, in slices.</param>
    public void Empty(bool isLazy = false)
    {
        CountChanges(-Flush(database: -1));
        if (!isLazy)
            _keyspace.FreeDetached();
    }

    /// <summary>Lets two databases change places; all stripes are locked.</summary>
    public void Swap(int first, int second)
    {
        _keyspace.Observer?.DatabaseChanging(this, first, second);
        foreach (Stripe stripe in _keyspace.Stripes)
            stripe.Swap(first, second);
        ChangeCount++;
    }

    /// <summary>Declares a change to a key of the selected database.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Changed(in Key key, KeyEvent keyEvent) => Changed(Database, in key, keyEvent);

    /// <summary>Declares a change to a key.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Changed(int database, in Key key, KeyEvent keyEvent)
    {
        ChangeCount++;
        Stripe stripe = _keyspace.StripeOf(key.Hash);
        if (stripe.IsObserved | stripe.HasWaiters)
            _effects.Add(stripe, database, key.Span, keyEvent);
    }

    /// <summary>Declares one more event of a change that <see cref="Changed(in Key, KeyEvent)"/> has counted:
    /// the deadline that came with a value.</summary>
    public void MarkChanged(in Key key, KeyEvent keyEvent) => MarkChanged(Database, in key, keyEvent);

    /// <summary>As <see cref="MarkChanged(in Key, KeyEvent)"/>, in another database.</summary>
    public void MarkChanged(int database, in Key key, KeyEvent keyEvent) =>
        Declare(_keyspace.StripeOf(key.Hash), database, key.Span, keyEvent);

    /// <summary>Counts changes beyond the declared ones: FLUSHALL's, several writes of one command to a
    /// key.</summary>
    public void CountChanges(long count)
    {
        Debug.Assert(ChangeCount + count >= 0, "a negative number of changes");
        ChangeCount += count;
    }

    /// <summary>Commits the effects, while the stripes are still locked.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Commit()
    {
        Statistics.Changes += ChangeCount;
        if (_effects.Count != 0)
            _effects.Deliver(this, _keyspace.Observer);
    }

    /// <summary>The effects that are not committed.</summary>
    internal EffectBuffer Pending => _effects;

    /// <summary>Whether there is something to commit.</summary>
    internal bool HasUncommitted => _effects.Count != 0 || Effects.HasContent;

    /// <summary>Forgets everything that was to be committed: what it stands for was taken back.</summary>
    internal void DiscardUncommitted()
    {
        _effects.Clear();
        Effects.Discard();
    }

    /// <summary>Removes the keys past their deadline that a recorded command has met, as an expiry. A command
    /// that only reads leaves them to the reaper.</summary>
    internal void RemoveDue(bool isWriting)
    {
        if (_effects.Count != 0)
            _effects.SettleDue(this, isWriting || !_keyspace.IsActiveExpiryEnabled);
    }

    /// <summary>The access clock now: seconds, 24 bits.</summary>
    internal uint ClockSeconds => (uint)(NowMs / 1000) & 0xFFFFFF;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* Locate(in Key key) => Locate(Database, in key);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* Locate(int database, in Key key)
    {
        byte* slot = LocateSlot(database, in key);
        return slot == null ? null : SegmentTable<KeyEntry>.EntryIn(slot);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private byte* LocateSlot(int database, in Key key)
    {
        nint* cell = _keyspace.Cell(key.Hash, database);
        byte* slot = Expected.Holds(in key, cell, database) ? Expected.Slot
            : SegmentTable<KeyEntry>.FindIn(_keyspace.Directory(key.Hash, database), key.Hash, key.Span);
        if (slot == null || !IsPastDeadline(SegmentTable<KeyEntry>.EntryIn(slot)))
            return slot;
        NoteExpired(database, key.Hash, SegmentTable<KeyEntry>.EntryIn(slot));
        return null;
    }

    /// <summary>A command has found a key past its deadline. The reaper is usually about to remove it; where
    /// the reaper is off (DEBUG SET-ACTIVE-EXPIRE), or the command is recorded, which the replay must not see
    /// with this key, or clients that cache values must hear of its end before they hear that it is gone, the
    /// key is removed when the command is over.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void NoteExpired(int database, ulong hash, byte* entry)
    {
        Stripe stripe = _keyspace.StripeOf(hash);
        if ((!_keyspace.IsActiveExpiryEnabled || Effects.IsRecording || stripe.IsTracked)
            && !_keyspace.IsExpiryHeld && !_keyspace.KeepsExpired)
            _effects.AddDue(stripe, database, hash, KeyEntry.KeySpan(entry));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsPastDeadline(byte* entry) => IsPastOwnDeadline(entry)
        || (KeyEntry.Type(entry) == KeyType.Hash && LapsedHash.Is(this, entry));

    /// <summary>Declares what the server does on its own: it is not a change by a command.</summary>
    internal void Declare(Stripe stripe, int database, ReadOnlySpan<byte> key, KeyEvent keyEvent)
    {
        if (stripe.IsObserved | stripe.HasWaiters)
            _effects.Add(stripe, database, key, keyEvent);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsPastOwnDeadline(byte* entry) =>
        KeyEntry.HasDeadline(entry) && KeyEntry.Deadline(entry) <= ExpiryNowMs;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Touch(byte* entry)
    {
        if (!IsNoTouch && KeyEntry.AccessClock(entry) != ClockSeconds)
            AccessNote.Use(this, entry);
    }
}
