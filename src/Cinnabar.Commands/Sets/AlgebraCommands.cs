using Cinnabar.Keyspace.Sets;

namespace Cinnabar.Commands.Sets;

/// <summary>Commands on several sets: SDIFF, SINTER, SINTERCARD, SUNION, and those that store.</summary>
public static class AlgebraCommands
{
    // Of the commands that store.
    private const int FirstSource = 2;

    /// <summary>SINTER key [key ...].</summary>
    public static Outcome SInter(Execution execution)
    {
        if (!TryCollect(execution, 1, execution.ArgumentCount, out SetAlgebra sets))
            return Outcome.Done;
        if (sets.HasEmpty)
        {
            execution.Reply.SetHeader(0);
            return Outcome.Done;
        }

        if (execution.MustLeaveKeys(sets.IntersectionNs))
            return Outcome.OffLoopWithoutKeys;
        var visitor = new ReplyingVisitor(execution);
        DeferredHeader header = execution.Reply.BeginDeferred();
        sets.Intersect(long.MaxValue, ref visitor);
        execution.Reply.EndDeferredSet(in header, visitor.Count);
        return Outcome.Done;
    }

    /// <summary>SINTERCARD numkeys key [key ...] [LIMIT limit].</summary>
    public static Outcome SInterCard(Execution execution)
    {
        const int first = 2;
        if (!RedisNumber.TryParseInt64(execution.Argument(1), out long keyCount) || keyCount < 1)
        {
            execution.Reply.Error("ERR numkeys should be greater than 0"u8);
            return Outcome.Done;
        }

        if (keyCount > execution.ArgumentCount - first)
        {
            execution.Reply.Error("ERR Number of keys can't be greater than number of args"u8);
            return Outcome.Done;
        }

        int end = first + (int)keyCount;
        if (!TryReadLimit(execution, end, out long limit)
            || !TryCollect(execution, first, end, out SetAlgebra sets))
            return Outcome.Done;
        if (sets.HasEmpty)
        {
            execution.Reply.Integer(0);
            return Outcome.Done;
        }

        if (execution.MustLeaveKeys(sets.IntersectionNs))
            return Outcome.OffLoopWithoutKeys;
        var visitor = default(CountingVisitor);
        sets.Intersect(limit == 0 ? long.MaxValue : limit, ref visitor);
        execution.Reply.Integer(visitor.Count);
        return Outcome.Done;
    }

    /// <summary>SINTERSTORE destination key [key ...].</summary>
    public static Outcome SInterStore(Execution execution) => BuildAndStore(execution, KeyEvent.SInterStore);

    /// <summary>SUNION key [key ...].</summary>
    public static Outcome SUnion(Execution execution) => UniteOrSubtract(execution, isUnion: true);

    /// <summary>SUNIONSTORE destination key [key ...].</summary>
    public static Outcome SUnionStore(Execution execution) => BuildAndStore(execution, KeyEvent.SUnionStore);

    /// <summary>SDIFF key [key ...].</summary>
    public static Outcome SDiff(Execution execution) => UniteOrSubtract(execution, isUnion: false);

    /// <summary>SDIFFSTORE destination key [key ...].</summary>
    public static Outcome SDiffStore(Execution execution) => BuildAndStore(execution, KeyEvent.SDiffStore);

    private static Outcome UniteOrSubtract(Execution execution, bool isUnion)
    {
        if (!TryCollect(execution, 1, execution.ArgumentCount, out SetAlgebra sets))
            return Outcome.Done;
        if (execution.MustLeaveKeys(isUnion ? sets.UnionNs : sets.DifferenceNs))
            return Outcome.OffLoopWithoutKeys;
        var visitor = new ReplyingVisitor(execution);
        DeferredHeader header = execution.Reply.BeginDeferred();
        if (isUnion)
            sets.Unite(ref visitor);
        else
            sets.Subtract(ref visitor);
        execution.Reply.EndDeferredSet(in header, visitor.Count);
        return Outcome.Done;
    }

    private static Outcome BuildAndStore(Execution execution, KeyEvent keyEvent)
    {
        if (!TryCollect(execution, FirstSource, execution.ArgumentCount, out SetAlgebra sets))
            return Outcome.Done;
        if (execution.MustLeaveKeys(CostNs(sets, keyEvent)))
            return execution.StoreLater(new Steps(keyEvent));
        Store(execution, Build(execution, sets, keyEvent), keyEvent);
        return Outcome.Done;
    }

    private static SetEditor Build(Execution execution, SetAlgebra sets, KeyEvent keyEvent) =>
        keyEvent switch
        {
            KeyEvent.SUnionStore => sets.StoreUnion(),
            KeyEvent.SDiffStore => sets.StoreDifference(),
            _ => sets.HasEmpty ? execution.Sets.NewResult() : sets.StoreIntersection(),
        };

    private static long CostNs(SetAlgebra sets, KeyEvent keyEvent) => keyEvent switch
    {
        KeyEvent.SUnionStore => sets.UnionNs,
        KeyEvent.SDiffStore => sets.DifferenceNs,
        _ => sets.HasEmpty ? 0 : 2 * sets.IntersectionNs,
    };

    private static bool TryReadLimit(Execution execution, int first, out long limit)
    {
        limit = 0;
        for (int index = first; index < execution.ArgumentCount; index += 2)
        {
            if (!execution.Is(index, "limit"u8) || index + 1 == execution.ArgumentCount)
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }

            if (!RedisNumber.TryParseInt64(execution.Argument(index + 1), out limit) || limit < 0)
            {
                execution.Reply.Error("ERR LIMIT can't be negative"u8);
                return false;
            }
        }

        return true;
    }

    private static bool TryCollect(Execution execution, int first, int end, out SetAlgebra sets)
    {
        Debug.Assert(first < end && end <= execution.ArgumentCount, "no set is named");
        sets = execution.Sets.Algebra;
        sets.Clear();
        for (int index = first; index < end; index++)
        {
            if (!execution.TryFindKept(index, KeyType.Set, out EntryView entry))
                return false;
            sets.Add(execution.Sets.View(entry));
        }

        return true;
    }

    private static void Store(Execution execution, SetEditor result, KeyEvent keyEvent)
    {
        Key target = execution.Key(1);
        long count = result.View.Count;
        if (count > 0)
        {
            execution.Sets.Store(in target);
            execution.Keys.Changed(in target, keyEvent);
        }
        else
        {
            execution.Sets.Discard();
            if (execution.Keys.Remove(in target))
                execution.Keys.Changed(in target, KeyEvent.Deleted);
        }

        execution.Reply.Integer(count);
    }

    private struct CountingVisitor : ISetVisitor
    {
        public long Count { get; private set; }

        public void Visit(in SetMember member) => Count++;
    }

    private sealed class Steps(KeyEvent keyEvent) : StoreSteps
    {
        private SetStore? _built;

        public override bool TryBuild(Execution execution)
        {
            Debug.Assert(_built is null, "a result is built once");
            if (!TryCollect(execution, FirstSource, execution.ArgumentCount, out SetAlgebra sets))
                return false;
            Build(execution, sets, keyEvent);
            _built = execution.Sets;
            return true;
        }

        public override void Store(Execution execution)
        {
            Debug.Assert(_built is not null, "there is no result");
            SetEditor result = _built.Result;
            _built = null;
            AlgebraCommands.Store(execution, result, keyEvent);
        }

        public override void Drop()
        {
            _built?.Discard();
            _built = null;
        }
    }
}
