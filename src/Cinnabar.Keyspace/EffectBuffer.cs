using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

/// <summary>The effects of one execution, in order, until they are committed. Keys are copied: arguments may
/// not last.</summary>
internal sealed unsafe class EffectBuffer
{
    private readonly List<Effect> _effects = [];
    private readonly List<DueKey> _dueKeys = [];
    private byte[] _keys = [];
    private int _keysLength;
    private int _invalidatedCount;

    /// <summary>Number of effects not yet delivered, keys to remove included.</summary>
    public int Count { get; private set; }

    /// <summary>Notes an effect.</summary>
    // Rare: not inlined into every command.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Add(Stripe stripe, int database, ReadOnlySpan<byte> key, KeyEvent keyEvent)
    {
        _effects.Add(new Effect(stripe, database, Keep(key), key.Length, keyEvent));
        Count++;
    }

    /// <summary>Notes a key past its deadline, to be removed when the execution is over.</summary>
    public void AddDue(Stripe stripe, int database, ulong hash, ReadOnlySpan<byte> key)
    {
        _dueKeys.Add(new DueKey(stripe, database, hash, Keep(key), key.Length));
        Count++;
    }

    /// <summary>
    /// Removes the keys that are to be removed, reports all effects to the observer in order, and forgets
    /// them.
    /// </summary>
    public void Deliver(KeyspaceAccess access, IKeyspaceObserver? observer)
    {
        SettleDue(access, areRemoved: true);
        Invalidate(access, observer);
        foreach (Effect effect in _effects)
        {
            ReadOnlySpan<byte> key = _keys.AsSpan(effect.KeyOffset, effect.KeyLength);
            observer?.Changed(access, effect.Stripe, effect.Database, key, effect.KeyEvent);
        }

        Clear();
        observer?.Committed(access);
    }

    /// <summary>Reports the changes since the last call to those who track keys.</summary>
    public void Invalidate(KeyspaceAccess access, IKeyspaceObserver? observer)
    {
        for (; _invalidatedCount < _effects.Count; _invalidatedCount++)
        {
            Effect effect = _effects[_invalidatedCount];
            if ((effect.Stripe.Interests & StripeInterests.TrackedKeys) == 0)
                continue;
            ReadOnlySpan<byte> key = _keys.AsSpan(effect.KeyOffset, effect.KeyLength);
            observer?.Invalidated(access, effect.Stripe, key, effect.KeyEvent);
        }
    }

    /// <summary>Forgets the misses of a command that will look its keys up again.</summary>
    public void ForgetMisses()
    {
        int count = 0;
        for (int index = 0; index < _effects.Count; index++)
        {
            if (_effects[index].KeyEvent != KeyEvent.KeyMiss)
                _effects[count++] = _effects[index];
        }

        _effects.RemoveRange(count, _effects.Count - count);
        _invalidatedCount = Math.Min(_invalidatedCount, _effects.Count);
        Count = _effects.Count + _dueKeys.Count;
    }

    /// <summary>Forgets all effects and all keys to remove.</summary>
    public void Clear()
    {
        _effects.Clear();
        _dueKeys.Clear();
        _keysLength = 0;
        _invalidatedCount = 0;
        Count = 0;
    }

    /// <summary>Removes the keys that are to be removed, or leaves them, and forgets them.</summary>
    public void SettleDue(KeyspaceAccess access, bool areRemoved)
    {
        Debug.Assert(Count == _effects.Count + _dueKeys.Count, "effects have been lost");
        foreach (DueKey due in _dueKeys)
        {
            if (!areRemoved && !due.Stripe.IsTracked)
                continue;
            ReadOnlySpan<byte> key = _keys.AsSpan(due.KeyOffset, due.KeyLength);
            // SAFETY: the stripe is locked, and nothing changes its table between the search and the removal.
            if (due.Stripe.Table(due.Database) is { } table
                && table.Entries.TryFind(due.Hash, key, out SlotReference slot)
                && access.IsPastDeadline(slot.Entry))
                access.Expire(due.Stripe, table, in slot, due.Database);
        }

        _dueKeys.Clear();
        Count = _effects.Count;
        _keysLength = Count == 0 ? 0 : _keysLength;
    }

    private int Keep(ReadOnlySpan<byte> key)
    {
        int offset = _keysLength;
        if (offset + key.Length > _keys.Length)
            Array.Resize(ref _keys, Math.Max(256, 2 * (offset + key.Length)));
        key.CopyTo(_keys.AsSpan(offset));
        _keysLength += key.Length;
        return offset;
    }

    private readonly record struct Effect(Stripe Stripe, int Database, int KeyOffset, int KeyLength,
        KeyEvent KeyEvent);

    private readonly record struct DueKey(Stripe Stripe, int Database, ulong Hash, int KeyOffset,
        int KeyLength);
}
