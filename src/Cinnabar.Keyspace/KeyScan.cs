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
// same steps, because the stripes are locked.

using Cinnabar.Structures;

namespace Cinnabar.Keyspace;

/// <summary>Walks over the keys of an execution's database; all stripes are locked.</summary>
public static unsafe class KeyScan
{
    private const int TableCursorBits = 38;
    private const ulong TableCursorMask = (1UL << TableCursorBits) - 1;

    /// <summary>How far a step goes that passes at least so many keys, dead ones included.</summary>
    /// <param name="access">The execution's view.</param>
    /// <param name="cursor">0 at first; afterwards what the last call returned.</param>
    /// <param name="keyCountMin">At least 1.</param>
    /// <returns>The next cursor; 0 when the walk comes to its end.</returns>
    public static ulong Next(KeyspaceAccess access, ulong cursor, long keyCountMin)
    {
        CountingVisitor counter = default;
        do
            cursor = Step(access, cursor, ref counter);
        while (cursor != 0 && counter.Count < keyCountMin);
        return cursor;
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

        // SAFETY: the table hands out live entries of a stripe that the execution holds.
        public void Visit(byte* entry)
        {
            if (!Access.IsPastDeadline(entry))
                Visitor.Visit(new EntryView(entry));
        }
    }
}
