using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Tables;

namespace Cinnabar.Keyspace.Snapshots;

// SAFETY: the stripe's lock is held in every method.
/// <summary>A snapshot's part in one stripe: the tables of the moment, how far the walk over them has come,
/// and the chunk that is being filled. Guarded by the stripe's lock.</summary>
internal sealed unsafe class SnapshotPart : IStripeWalk
{
    // A portion ends after so many entries or bytes: others wait for the stripe meanwhile.
    private const int EntriesPerStep = 48;
    private const long BytesPerStep = 64 << 10;

    private readonly KeyspaceSnapshot _snapshot;
    private readonly List<DatabaseTable> _tables = [];
    private int _table;
    private ulong _cursor;

    /// <summary>Begins at the moment: every entry that is in the stripe now is unsaved.</summary>
    public SnapshotPart(Stripe stripe, KeyspaceSnapshot snapshot)
    {
        Debug.Assert(stripe.Lock.IsHeld, "the moment is taken under all locks");
        Debug.Assert(stripe.Guard is null && stripe.Walk is null, "one snapshot at a time");
        (Stripe, _snapshot) = (stripe, snapshot);
        for (int database = 0; database < stripe.DatabaseCount; database++)
        {
            if (stripe.Table(database) is not { Entries.Count: > 0 } table)
                continue;
            Debug.Assert(table.SnapshotDatabase < 0, "the table is another snapshot's");
            stripe.AssertSaved(table);
            table.SnapshotDatabase = database;
            _tables.Add(table);
        }

        stripe.SnapshotMark ^= KeyEntry.SnapshotMarkFlag;
        if (_tables.Count == 0)
            return;
        stripe.Guard = snapshot;
        stripe.Walk = this;
    }

    /// <summary>The stripe.</summary>
    public Stripe Stripe { get; }

    /// <summary>Whether every table has been passed.</summary>
    public bool IsOver => _table == _tables.Count;

    /// <summary>The chunk that copies go to; null: there is none yet.</summary>
    public EntryCopies? Open { get; set; }

    /// <inheritdoc/>
    public bool IsWanted => _snapshot.IsWalkWanted;

    /// <inheritdoc/>
    public bool Step()
    {
        Debug.Assert(Stripe.Lock.IsHeld && !IsOver, "there is nothing to walk over");
        int entryCount = 0;
        long bytes = 0;
        while (!IsOver && entryCount < EntriesPerStep && bytes < BytesPerStep)
        {
            SavingVisitor visitor = Scan(_tables[_table]);
            entryCount += Math.Max(1, visitor.Count);
            bytes += visitor.Bytes;
        }

        if (!IsOver)
            return IsWanted;
        Stripe.Guard = null;
        Stripe.Walk = null;
        _snapshot.EndPart(this);
        return false;
    }

    // Copies what is unsaved, or only marks it where the snapshot is cancelled. Of a table that was cut off
    // nothing but the snapshot knows.
    private SavingVisitor Scan(DatabaseTable table)
    {
        bool isCopying = _snapshot.IsCopying(table.SnapshotDatabase);
        bool isCutOff = Stripe.DatabaseOf(table.Identity) < 0;
        var visitor = new SavingVisitor(this, table.SnapshotDatabase, isCopying);
        _cursor = !isCopying && isCutOff ? 0 : table.Entries.Scan(_cursor, ref visitor);
        if (_cursor != 0)
            return visitor;
        table.SnapshotDatabase = -1;
        _table++;
        if (isCutOff)
            Stripe.DropKept(table);
        else
            Stripe.AssertSaved(table);
        return visitor;
    }

    private struct SavingVisitor(SnapshotPart part, int database, bool isCopying) : IEntryVisitor
    {
        public int Count;
        public long Bytes;

        public void Visit(byte* entry)
        {
            Count++;
            if (!part.Stripe.IsUnsaved(entry))
                return;
            part.Stripe.MarkSaved(entry);
            if (isCopying)
                Bytes += part._snapshot.Save(part, database, entry);
        }
    }
}
