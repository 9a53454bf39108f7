// KEYS of many keys, and SCAN with a large COUNT. No other command is to wait for all of it, so no more than
// one stripe is locked at a time, and for no longer than about 0.1 ms: between two steps the executions that
// wait for the stripe get it. KEYS goes through all stripes in turn, a step in each, so that each is free
// most of the time; SCAN, whose cursor is a place in an order, goes through one after the other.
//
// So the reply is no consistent snapshot, as it is in a transaction: it has each key that was there all the
// while, none twice, and some of those that came or went meanwhile.

namespace Cinnabar.Commands;

/// <summary>A walk over the keys of a database, in steps of which each needs one stripe.</summary>
public sealed class KeyWalk
{
    private const ulong Through = ulong.MaxValue;

    private readonly Execution _execution;
    private readonly DeferredHeader _header;

    // Of KEYS: where it stands in each stripe's table.
    private readonly ulong[]? _cursors;
    private ulong _cursor;
    private long _left;

    /// <summary>Begins the reply of a KEYS.</summary>
    public KeyWalk(Execution execution)
    {
        _execution = execution;
        _cursors = new ulong[StripeCount];
        _header = execution.Reply.BeginDeferred();
    }

    /// <summary>Begins the reply of a SCAN.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="cursor">Its cursor.</param>
    /// <param name="keyCountMin">Its COUNT.</param>
    public KeyWalk(Execution execution, ulong cursor, long keyCountMin)
    {
        Debug.Assert(keyCountMin > 0, "a walk looks at a key");
        _execution = execution;
        (Stripe, _cursor) = KeyScan.PlaceOf(execution.Keys.Keyspace, cursor);
        _left = keyCountMin;
        _header = execution.Reply.BeginDeferredScan();
    }

    /// <summary>The stripe that the next step needs; &#8722;1: there is none.</summary>
    public int StripeNext => IsOver ? -1 : Stripe;

    /// <summary>How many keys were replied.</summary>
    public long Count { get; set; }

    private int StripeCount => _execution.Keys.Keyspace.Stripes.Length;

    private int Stripe { get; set; }

    private bool IsOver => _cursors is null
        ? _left <= 0 || Stripe == StripeCount
        : _cursors[Stripe] == Through;

    /// <summary>Makes a step in the stripe that it needs, which is locked.</summary>
    public void Step<TVisitor>(ref TVisitor visitor) where TVisitor : struct, IKeyVisitor
    {
        Debug.Assert(!IsOver, "the walk is over");
        if (_cursors is null)
        {
            _left -= KeyScan.VisitSome(_execution.Keys, Stripe, ref _cursor, _left, ref visitor);
            Stripe += _cursor == 0 ? 1 : 0;
            return;
        }

        ref ulong cursor = ref _cursors[Stripe];
        KeyScan.VisitSome(_execution.Keys, Stripe, ref cursor, long.MaxValue, ref visitor);
        if (cursor == 0)
            cursor = Through;
        for (int tries = 0; tries == 0 || (IsOver && tries < StripeCount); tries++)
            Stripe = (Stripe + 1) % StripeCount;
    }

    /// <summary>Ends the reply.</summary>
    public void End()
    {
        if (_cursors is not null)
        {
            _execution.Reply.EndDeferredArray(in _header, Count);
            return;
        }

        ulong cursor = KeyScan.CursorAt(_execution.Keys.Keyspace, Stripe, _cursor);
        _execution.Reply.EndDeferredScan(in _header, cursor, Count);
    }
}
