using Cinnabar.Engine.Scripts;
using Cinnabar.Engine.Sessions;
using Cinnabar.Engine.Specs;

namespace Cinnabar.Engine.Executions;

/// <summary>Which stripes an execution needs, from its command's spec and its arguments.</summary>
internal static unsafe class LockPlan
{
    /// <summary>Whether a command touches the key space at all.</summary>
    public static bool NeedsStripes(SessionExecution execution) =>
        execution.Spec.Lock is LockScope.Keys or LockScope.All or LockScope.Chosen or LockScope.Transaction;

    /// <summary>Fills in the execution's stripes, and the hashes of its keys.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="isInTurn">Whether the caller is a loop within a turn: only then may tables be read
    /// without their locks, and the keys' entries begin to load.</param>
    public static void Fill(SessionExecution execution, bool isInTurn)
    {
        ulong* hashes = stackalloc ulong[KeysAhead.CountMax];
        byte** places = stackalloc byte*[KeysAhead.CountMax];
        var ahead = new KeysAhead(execution.Keys.Keyspace, execution.Session.Database, hashes, places)
        {
            IsOn = isInTurn,
        };
        execution.Stripes = default;
        execution.StripeNext = 0;
        execution.UseAllStripes();
        if (execution.Spec.RunsTransaction)
            FillTransaction(execution, ref ahead);
        else if (execution.Spec.Lock == LockScope.Chosen)
            Choose(execution);
        else
            Add(execution, execution.Spec, execution.Arguments, ref ahead);
        ahead.LoadEntries();
        if (!execution.Server.Waits.IsEmpty)
            AddWaiters(execution, ref execution.Stripes);
    }

    /// <summary>
    /// Whether an execution that holds its stripes also holds those for serving the waiters of its keys.
    /// </summary>
    /// <param name="execution">The execution.</param>
    /// <param name="needed">What it needs.</param>
    public static bool CoversWaiters(SessionExecution execution, out StripeSet needed)
    {
        needed = execution.Stripes;
        if (!execution.Server.Waits.IsEmpty)
            AddWaiters(execution, ref needed);
        return execution.Stripes.Contains(in needed);
    }

    /// <summary>The instant of an execution: now, but never before the latest of its stripes.</summary>
    public static long TimeOf(SessionExecution execution, long nowMs)
    {
        ReadOnlySpan<Stripe> stripes = execution.Keys.Keyspace.Stripes;
        for (int stripe = execution.Stripes.Next(0); stripe >= 0; stripe = execution.Stripes.Next(stripe + 1))
            nowMs = Math.Max(nowMs, stripes[stripe].TimeMs);
        for (int stripe = execution.Stripes.Next(0); stripe >= 0; stripe = execution.Stripes.Next(stripe + 1))
            stripes[stripe].TimeMs = nowMs;
        return nowMs;
    }

    private static void Choose(SessionExecution execution)
    {
        // SAFETY: a spec whose lock is chosen has a chooser, of a handler's shape.
        Debug.Assert(execution.Spec.LockChooserAddress != 0, "the chooser of a lock is not bound");
        execution.Keys.Database = execution.Session.Database;
        ((delegate*<Execution, void>)execution.Spec.LockChooserAddress)(execution);
        for (int stripe = execution.StripeFirst; stripe < execution.StripeEnd; stripe++)
            execution.Stripes.Add(stripe);
    }

    private static void FillTransaction(SessionExecution execution, ref KeysAhead ahead)
    {
        Session session = execution.Session;
        session.Watches?.AddStripes(ref execution.Stripes);
        if (session.Transaction is not { } transaction
            || (session.Flags & SessionFlags.TransactionBroken) != 0)
            return;
        foreach (QueuedCommand queued in transaction.Commands)
        {
            Add(execution, queued.Spec, queued.Arguments, ref ahead);
        }
    }

    private static void AddWaiters(SessionExecution execution, ref StripeSet stripes)
    {
        if (!execution.Spec.RunsTransaction)
            AddWaiters(execution, execution.Spec, execution.Arguments, ref stripes);
        else if (execution.Session.Transaction is { } transaction
            && (execution.Session.Flags & SessionFlags.TransactionBroken) == 0)
        {
            foreach (QueuedCommand queued in transaction.Commands)
                AddWaiters(execution, queued.Spec, queued.Arguments, ref stripes);
        }
    }

    private static void AddWaiters(SessionExecution execution, CommandSpec spec, ArgumentList arguments,
        ref StripeSet stripes)
    {
        // Without active expiry, reading commands remove expired keys.
        bool mayChange = spec.Has(CommandFlags.Write | CommandFlags.RunsScript)
            || !execution.Keys.Keyspace.IsActiveExpiryEnabled;
        if (spec.Lock != LockScope.Keys || !mayChange)
            return;
        var keys = new KeyArguments(spec, arguments);
        while (keys.MoveNext())
            execution.Server.Waits.AddNeeds(arguments[keys.Current].Hash, ref stripes);
    }

    /// <summary>Whether the arguments of a command may not name all keys that it touches.</summary>
    // SAFETY: the generator binds methods of this shape only.
    internal static bool NeedsAll(CommandSpec spec, ArgumentList arguments) =>
        spec.LockAllIfAddress != 0 && ((delegate*<ArgumentList, bool>)spec.LockAllIfAddress)(arguments);

    // A script of a transaction cannot be run again: it gets all that it could touch. Of any other its last
    // runs tell.
    private static bool NeedsAllForScript(
        SessionExecution execution, CommandSpec spec, ArgumentList arguments)
    {
        if (execution.Spec.RunsTransaction)
            return true;
        ReadOnlySpan<byte> name = arguments[1].Span;
        if (spec.Has(CommandFlags.RunsFunction))
            return execution.Server.Libraries.Current.FindFunction(name) is { NeedsAllStripes: true };
        ScriptCache scripts = execution.Server.Scripts;
        if (spec.Has(CommandFlags.NamesDigest))
            return scripts.Find(name, execution.Loop.Index) is { NeedsAllStripes: true };
        ScriptDigest digest = ScriptDigest.Of(name);
        return scripts.Find(in digest) is { NeedsAllStripes: true };
    }

    private static void Add(
        SessionExecution execution, CommandSpec spec, ArgumentList arguments, ref KeysAhead ahead)
    {
        Keyspace.Keyspace keyspace = execution.Keys.Keyspace;
        if (spec.Lock is LockScope.All or LockScope.Chosen || NeedsAll(spec, arguments)
            || (spec.RunsScript && NeedsAllForScript(execution, spec, arguments)))
        {
            execution.Stripes = StripeSet.All(keyspace.Stripes.Length);
            return;
        }

        if (spec.Lock != LockScope.Keys)
            return;
        var keys = new KeyArguments(spec, arguments);
        while (keys.MoveNext())
        {
            ref Argument argument = ref arguments[keys.Current];
            argument.Hash = keyspace.Hash(argument.Span);
            execution.Stripes.Add(keyspace.StripeIndex(argument.Hash));
            ahead.Add(argument.Hash);
        }
    }
}
