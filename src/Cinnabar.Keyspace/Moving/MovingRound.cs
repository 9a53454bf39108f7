// Rounds over the key space that move entries and pages of trees out of sparsely used slabs, so that these
// become empty and their memory goes back to the system.
//
//   round:  trees choose slabs ─► stripe 0 ─► stripe 1 ─► … ─► trees end the choice
//   stripe: its arena chooses slabs ─► a walk over its tables, in steps ─► it ends the choice
//
// A choice takes the emptiest slabs of each size class, as many as the fuller ones have room for, and these
// serve no block until its end (SlabClass): so each block is moved once at most, and what is moved never
// goes from one sparse slab to the next. An entry is found by the walk, is copied bytewise, marks included,
// and takes its own place in the table; nothing else holds its address beyond the stripe's lock, and
// prefetched ones are invalidated by the table's version. So a snapshot, a waiting client, a script or a
// watch does not see that it has moved. Pages of trees: TreeMoves.
//
// A step is short: some entries are looked at, or some fields of a big value, with its stripe locked. A
// stripe that is held is tried again by the next step.
//
// Limits: the index of deadlines, names of cached keys, the streams' groups and what block strings keep
// beside their pages are not moved; a slab with one of them stays. One thread makes the rounds.

using Cinnabar.Keyspace.Entries;
using Cinnabar.Structures.Tables;
using Cinnabar.Structures.Trees;

namespace Cinnabar.Keyspace.Moving;

// SAFETY: in every method that has an entry its stripe is locked.
/// <summary>Moves what lies in sparsely used memory, in steps. On one thread.</summary>
public sealed unsafe class MovingRound(Keyspace keyspace)
{
    // Of what the walk passes, and of buckets in which it finds nothing.
    private const int EntriesPerStep = 64;
    private const int ScansPerStep = 16;

    private readonly Keyspace _keyspace = keyspace;
    private readonly List<nint> _found = [];
    private readonly Queue<BigValue> _big = [];
    private MovingPhase _phase;
    private int _stripe;
    private int _database;
    private ulong _cursor;
    private bool _areTreesChosen;

    /// <summary>Whether a round is under way.</summary>
    public bool IsUnderWay => _phase != MovingPhase.Idle;

    /// <summary>What all rounds have done.</summary>
    public MovingCounts Counts { get; } = new();

    /// <summary>Makes a step; the first one begins a round.</summary>
    /// <param name="scanFieldsMax">How many fields of a big value are passed.</param>
    /// <returns>False where the stripe is held by another, or the round has ended.</returns>
    public bool Step(long scanFieldsMax)
    {
        if (_phase == MovingPhase.Idle)
        {
            _areTreesChosen = _keyspace.Trees.BeginMoving() > 0;
            _stripe = 0;
            Enter(MovingPhase.Choosing);
            return true;
        }

        Stripe stripe = _keyspace.Stripes[_stripe];
        if (!stripe.Lock.TryEnter())
            return false;
        try
        {
            StepIn(stripe, scanFieldsMax);
        }
        finally
        {
            stripe.Lock.Exit();
        }

        if (_stripe < _keyspace.Stripes.Length)
            return true;
        End();
        return false;
    }

    /// <summary>Ends the round that is under way before its time. The stripe that it is at may be held: then
    /// it is to be called again.</summary>
    /// <returns>Whether none is under way any more.</returns>
    public bool TryCancel()
    {
        if (_phase == MovingPhase.Walking)
        {
            Stripe stripe = _keyspace.Stripes[_stripe];
            if (!stripe.Lock.TryEnter())
                return false;
            EndStripe(stripe);
            stripe.Lock.Exit();
        }

        if (_phase != MovingPhase.Idle)
            End();
        return true;
    }

    private void End()
    {
        _keyspace.Trees.EndMoving();
        Enter(MovingPhase.Idle);
    }

    private void Enter(MovingPhase phase)
    {
        Debug.Assert((phase == MovingPhase.Choosing) != (_phase == MovingPhase.Choosing),
            $"a round goes from {_phase} to {phase}");
        _phase = phase;
    }

    private void StepIn(Stripe stripe, long scanFieldsMax)
    {
        if (_phase == MovingPhase.Choosing)
        {
            bool isChosen = stripe.Arena.BeginMoving() > 0 || _areTreesChosen;
            (_database, _cursor) = (0, 0);
            Enter(MovingPhase.Walking);
            if (!isChosen)
                EndStripe(stripe);
        }
        else if (_big.TryDequeue(out BigValue value))
        {
            MoveBig(stripe, value, scanFieldsMax);
        }
        else if (_database < stripe.DatabaseCount)
        {
            Walk(stripe, scanFieldsMax);
        }
        else
        {
            EndStripe(stripe);
        }
    }

    private void EndStripe(Stripe stripe)
    {
        stripe.Arena.EndMoving();
        _big.Clear();
        _stripe++;
        Enter(MovingPhase.Choosing);
    }

    private void Walk(Stripe stripe, long scanFieldsMax)
    {
        _found.Clear();
        int entryCount = 0;
        for (int scan = 0; scan < ScansPerStep && entryCount < EntriesPerStep; scan++)
        {
            if (stripe.Table(_database) is { Entries.Count: > 0 } table)
            {
                var visitor = new FindingVisitor(this, stripe);
                _cursor = table.Entries.Scan(_cursor, ref visitor);
                entryCount += visitor.Count;
                MoveFound(stripe, table, scanFieldsMax);
            }

            if (_cursor == 0 && ++_database == stripe.DatabaseCount)
                return;
        }
    }

    private void MoveFound(Stripe stripe, DatabaseTable table, long scanFieldsMax)
    {
        foreach (nint address in _found)
        {
            var entry = (byte*)address;
            ulong hash = _keyspace.Hash(KeyEntry.KeySpan(entry));
            bool isMoved = stripe.Arena.IsLeaving(entry, KeyEntry.Size(entry))
                && TryMove(stripe, table, hash, ref entry);
            if (_areTreesChosen && EntryValue.IsOutside(entry))
            {
                var value = new BigValue(table.Identity, hash, new TreeMoves { Budget = scanFieldsMax });
                isMoved |= MoveTrees(entry, value);
            }

            Counts.NoteKey(isMoved);
        }

        _found.Clear();
    }

    private bool TryMove(Stripe stripe, DatabaseTable table, ulong hash, ref byte* entry)
    {
        if (!table.Entries.TryFind(hash, KeyEntry.KeySpan(entry), out SlotReference slot))
        {
            Debug.Fail("the walk has found an entry that is not in its table");
            return false;
        }

        try
        {
            entry = EntryShape.Move(stripe, table, slot);
        }
        catch (OutOfMemoryException)
        {
            return false;
        }

        Counts.NoteBlocks(1, 0);
        return true;
    }

    private void MoveBig(Stripe stripe, BigValue value, long scanFieldsMax)
    {
        int database = stripe.DatabaseOf(value.Table);
        if (database < 0 || stripe.Table(database) is not { } table)
            return;
        int index = 0;
        byte* entry = table.Entries.FindByHash(value.Hash, ref index);
        if (entry != null)
            MoveTrees(entry, value with { Moves = value.Moves with { Budget = scanFieldsMax } });
    }

    private bool MoveTrees(byte* entry, BigValue value)
    {
        TreeMoves moves = value.Moves with { MovedCount = 0, StayedCount = 0 };
        bool isDone = EntryValue.Move(entry, _keyspace.Trees, ref moves);
        Counts.NoteBlocks(moves.MovedCount, moves.StayedCount);
        if (!isDone)
            _big.Enqueue(value with { Moves = moves });
        return moves.MovedCount > 0;
    }

    private struct FindingVisitor(MovingRound round, Stripe stripe) : IEntryVisitor
    {
        public int Count;

        public void Visit(byte* entry)
        {
            Count++;
            if (stripe.Arena.IsLeaving(entry, KeyEntry.Size(entry))
                || (round._areTreesChosen && EntryValue.IsOutside(entry)))
                round._found.Add((nint)entry);
            else
                round.Counts.NoteBlocks(0, 1);
        }
    }

    // A value that is moved in portions; its key is found again by its hash.
    private readonly record struct BigValue(int Table, ulong Hash, TreeMoves Moves);
}
