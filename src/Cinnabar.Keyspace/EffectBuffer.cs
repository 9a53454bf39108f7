using System;
using System.Collections.Generic;

namespace Cinnabar.Keyspace;

/// <summary>The effects of one execution, in order, until they are committed. Keys are copied: arguments may
/// not last.</summary>
internal sealed class EffectBuffer
{
    private readonly List<Effect> _effects = [];
    private byte[] _keys = [];
    private int _keysLength;

    /// <summary>Number of effects not yet delivered.</summary>
    public int Count => _effects.Count;

    /// <summary>Notes an effect.</summary>
    public void Add(Stripe stripe, int database, ReadOnlySpan<byte> key, KeyEvent keyEvent)
    {
        if (_keysLength + key.Length > _keys.Length)
            Array.Resize(ref _keys, Math.Max(256, 2 * (_keysLength + key.Length)));
        key.CopyTo(_keys.AsSpan(_keysLength));
        _effects.Add(new Effect(stripe, database, _keysLength, key.Length, keyEvent));
        _keysLength += key.Length;
    }

    /// <summary>Tells the observer all effects in order and forgets them.</summary>
    public void Deliver(KeyspaceAccess access, IKeyspaceObserver? observer)
    {
        foreach (Effect effect in _effects)
        {
            ReadOnlySpan<byte> key = _keys.AsSpan(effect.KeyOffset, effect.KeyLength);
            observer?.Changed(access, effect.Stripe, effect.Database, key, effect.KeyEvent);
        }

        _effects.Clear();
        _keysLength = 0;
    }

    private readonly record struct Effect(Stripe Stripe, int Database, int KeyOffset, int KeyLength,
        KeyEvent KeyEvent);
}
