// The walk behind SCAN and KEYS over all stripes of a database, which remembers nothing between two calls.
//
//      cursor:  | 45..38 stripe | 37..0 cursor of the stripe's table (TableScan) |
//
// A key never changes its stripe, and a stripe's table guarantees that what is in it from the first call to
// the last is visited; so the walk from 0 to 0 guarantees it for the database. 46 bits survive clients that
// keep numbers as doubles. Cursors that no walk returned are safe: they end or start somewhere.
//
// A step's end is found first (Next), by counting slots without reading entries, and then its keys are
// visited (Visit): SCAN replies the cursor before the keys, and this needs no list of them. The two take the
// same steps, because the stripes are locked. A step needs few of them: LikelyEnd says, before they are
// locked, where it will probably end, and it goes no further.
//
// No other client should wait for the whole of a long step: it is made of short ones, each in one stripe,
// which is locked for that alone (VisitSome). What is in the database all the while is visited by these, too.

using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace;

/// <summary>Walks over the keys of an execution's database, in stripes that are locked.</summary>
public static unsafe class KeyScan
{
    private const int TableCursorBits = 38;
    private const ulong TableCursorMask = (1UL << TableCursorBits) - 1;

    // How long other commands may wait for a stripe that VisitSome walks in.
    private const long SomeNsMax = 100_000;

    /// <summary>Where a step ends that passes a number of keys, dead ones included.</summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="cursor">0 at first; afterwards what the last call returned.</param>
    /// <param name="keyCountMin">At least 1.</param>
    /// <param name="stripeEnd">The stripe before which the step ends in any case.</param>
    /// <returns>The next cursor; 0 when the walk comes to its end.</returns>
    public static ulong Next(KeyspaceAccess access, ulong cursor, long keyCountMin, int stripeEnd)
    {
        CountingVisitor counter = default;
        do
            cursor = Step(access, cursor, ref counter);
        while (cursor != 0 && counter.Count < keyCountMin && cursor >> TableCursorBits < (ulong)stripeEnd);
        return cursor;
    }

    /// <summary>The stripe that a cursor leads to; 0 for one that no walk returned.</summary>
    public static int StripeOf(Keyspace keyspace, ulong cursor)
    {
        ulong stripe = cursor >> TableCursorBits;
        return stripe < (ulong)keyspace.Stripes.Length ? (int)stripe : 0;
    }

    /// <summary>
    /// The stripe behind those in which a step will probably find its keys. Needs no lock.
    /// </summary>
    public static int LikelyEnd(Keyspace keyspace, int database, ulong cursor, long keyCountMin)
    {
        int stripe = StripeOf(keyspace, cursor);
        // How many keys are left behind the cursor in a stripe that was begun is not known.
        bool isBegun = (cursor & TableCursorMask) != 0;
        for (long count = 0; count < keyCountMin && stripe < keyspace.Stripes.Length; stripe++)
        {
            count += isBegun ? 0 : keyspace.Stripes[stripe].Table(database)?.Entries.Count ?? 0;
            isBegun = false;
        }

        return System.Math.Max(stripe, StripeOf(keyspace, cursor) + 1);
    }

    /// <summary>Visits the keys between two cursors that are not past their deadline.</summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="cursor">Where the step begins.</param>
    /// <param name="end">What <see cref="Next"/> returned for it; 0 visits all that is left.</param>
    /// <param name="visitor">Receives the keys.</param>
    public static void Visit<TVisitor>(KeyspaceAccess access, ulong cursor, ulong end, ref TVisitor visitor)
        where TVisitor : struct, IKeyVisitor
    {
        var live = new LiveVisitor<TVisitor> { Access = access, Visitor = visitor };
        do
            cursor = Step(access, cursor, ref live);
        while (cursor != 0 && cursor != end);
        visitor = live.Visitor;
    }

    /// <summary>Visits keys of one stripe that are not past their deadline: for about 0.1 ms, or at least a
    /// given number of them.</summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="stripe">The stripe, which is locked.</param>
    /// <param name="cursor">0 at first; where to go on; 0 when there are no more.</param>
    /// <param name="keyCountMin">At least 1; dead keys count.</param>
    /// <param name="visitor">Receives the keys.</param>
    /// <returns>How many keys were passed, dead ones included.</returns>
    public static long VisitSome<TVisitor>(
        KeyspaceAccess access, int stripe, ref ulong cursor, long keyCountMin, ref TVisitor visitor)
        where TVisitor : struct, IKeyVisitor
    {
        if (access.Keyspace.Stripes[stripe].Table(access.Database) is not { Entries.Count: > 0 } table)
        {
            cursor = 0;
            return 0;
        }

        Platform.Clock clock = access.Keyspace.Clock;
        long endNs = clock.MonotonicNanoseconds + SomeNsMax;
        var live = new LiveVisitor<TVisitor> { Access = access, Visitor = visitor };
        do
            cursor = table.Entries.Scan(cursor, ref live);
        while (cursor != 0 && live.Count < keyCountMin && clock.MonotonicNanoseconds < endNs);
        visitor = live.Visitor;
        return live.Count;
    }

    /// <summary>The cursor of a walk over the database that stands in a stripe's table.</summary>
    /// <param name="keyspace">The key space.</param>
    /// <param name="stripe">The stripe; the last one's successor is the end.</param>
    /// <param name="cursor">As <see cref="VisitSome"/> left it.</param>
    public static ulong CursorAt(Keyspace keyspace, int stripe, ulong cursor) =>
        stripe == keyspace.Stripes.Length ? 0 : (ulong)stripe << TableCursorBits | cursor;

    /// <summary>The stripe of such a cursor, and where it stands in that one's table; behind the last stripe
    /// where no walk returned it.</summary>
    public static (int Stripe, ulong Cursor) PlaceOf(Keyspace keyspace, ulong cursor)
    {
        ulong stripe = System.Math.Min(cursor >> TableCursorBits, (ulong)keyspace.Stripes.Length);
        return ((int)stripe, cursor & TableCursorMask);
    }

    private static ulong Step<TVisitor>(KeyspaceAccess access, ulong cursor, ref TVisitor visitor)
        where TVisitor : struct, IEntryVisitor
    {
        System.ReadOnlySpan<Stripe> stripes = access.Keyspace.Stripes;
        ulong stripe = cursor >> TableCursorBits;
        if (stripe >= (ulong)stripes.Length)
            return 0;
        if (stripes[(int)stripe].Table(access.Database) is { Entries.Count: > 0 } table)
        {
            ulong next = table.Entries.Scan(cursor & TableCursorMask, ref visitor);
            if (next != 0)
                return stripe << TableCursorBits | next;
        }

        return stripe + 1 == (ulong)stripes.Length ? 0 : (stripe + 1) << TableCursorBits;
    }

    private struct CountingVisitor : IEntryVisitor
    {
        public long Count;

        public void Visit(byte* entry) => Count++;
    }

    private struct LiveVisitor<TVisitor> : IEntryVisitor where TVisitor : struct, IKeyVisitor
    {
        public KeyspaceAccess Access;
        public TVisitor Visitor;
        public long Count;

        // SAFETY: the table hands out live entries of a stripe that the execution holds.
        public void Visit(byte* entry)
        {
            Count++;
            if (!Access.IsPastDeadline(entry))
                Visitor.Visit(new EntryView(entry));
            else
                Access.NoteExpired(Access.Database, Access.Keyspace.Hash(KeyEntry.KeySpan(entry)), entry);
        }
    }
}
