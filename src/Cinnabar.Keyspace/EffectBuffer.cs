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
        foreach (Effect effect in _effects)
        {
            ReadOnlySpan<byte> key = _keys.AsSpan(effect.KeyOffset, effect.KeyLength);
            observer?.Changed(access, effect.Stripe, effect.Database, key, effect.KeyEvent);
        }

        Clear();
    }

    /// <summary>Forgets the misses of a command that will look its keys up again.</summary>
    public void ForgetMisses()
    {
        _effects.RemoveAll(static effect => effect.KeyEvent == KeyEvent.KeyMiss);
        Count = _effects.Count + _dueKeys.Count;
    }

    /// <summary>Forgets all effects and all keys to remove.</summary>
    public void Clear()
    {
        _effects.Clear();
        _dueKeys.Clear();
        _keysLength = 0;
        Count = 0;
    }

    /// <summary>Removes the keys that are to be removed, or leaves them, and forgets them.</summary>
    public void SettleDue(KeyspaceAccess access, bool areRemoved)
    {
        Debug.Assert(Count == _effects.Count + _dueKeys.Count, "effects have been lost");
        foreach (DueKey due in _dueKeys)
        {
            if (!areRemoved)
                break;
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
