using Cinnabar.Engine.Access;
using Cinnabar.Engine.Executions;
using Cinnabar.Engine.Loops;
using Cinnabar.Engine.Sessions;
using Cinnabar.Keyspace.Entries;
using Cinnabar.Security.Logging;

namespace Cinnabar.Engine.Connection;

/// <summary>MULTI, EXEC, DISCARD, WATCH, UNWATCH.</summary>
internal static unsafe class TransactionCommands
{
    private const SessionFlags TransactionFlags = SessionFlags.InTransaction | SessionFlags.TransactionBroken;

    public static void Multi(SessionExecution execution)
    {
        Session session = execution.Session;
        if ((session.Flags & SessionFlags.InTransaction) != 0)
        {
            execution.Reply.Error("ERR MULTI calls can not be nested"u8);
            return;
        }

        Debug.Assert(session.Transaction is null, "MULTI begins a transaction where there is none");
        session.Flags |= SessionFlags.InTransaction;
        session.Transaction = new Transaction(execution.Engine.Sessions.Buffers);
        execution.Reply.Ok();
    }

    public static void Discard(SessionExecution execution)
    {
        Session session = execution.Session;
        if ((session.Flags & SessionFlags.InTransaction) == 0)
        {
            execution.Reply.Error("ERR DISCARD without MULTI"u8);
            return;
        }

        execution.Engine.Watches.EndTransaction(execution.Session);
        execution.Reply.Ok();
    }

    /// <summary>EXEC. The stripes of all queued and of all watched keys are locked.</summary>
    public static void Exec(SessionExecution execution)
    {
        Session session = execution.Session;
        if ((session.Flags & SessionFlags.InTransaction) == 0)
        {
            execution.Reply.Error("ERR EXEC without MULTI"u8);
            return;
        }

        if ((session.Flags & SessionFlags.TransactionBroken) != 0)
        {
            execution.Engine.Watches.EndTransaction(execution.Session);
            execution.Reply.Error("EXECABORT Transaction discarded because of previous errors."u8);
            return;
        }

        if (session.IsWatchDirty || HasExpiredWatch(execution))
        {
            execution.Engine.Watches.EndTransaction(execution.Session);
            execution.Reply.NullArray();
            return;
        }

        Debug.Assert(session.Transaction is not null, "what was queued since MULTI is there until EXEC");
        Transaction transaction = session.Transaction!;
        session.Transaction = null;
        session.ChangeFlags(SessionFlags.None, TransactionFlags);
        execution.Engine.Watches.RemoveAll(session);
        session.RunningTransaction = transaction;
        Run(execution, transaction);
        session.RunningTransaction = null;
        transaction.Dispose();
    }

    /// <summary>WATCH key [key ...]</summary>
    public static void Watch(SessionExecution execution)
    {
        Session session = execution.Session;
        if ((session.Flags & SessionFlags.InTransaction) != 0)
        {
            execution.Reply.Error("ERR WATCH inside MULTI is not allowed"u8);
            return;
        }

        for (int index = 1; index < execution.ArgumentCount; index++)
        {
            Key key = execution.Key(index);
            execution.Engine.Watches.Add(session, in key, execution.Keys.Peek(in key).IsMissing);
        }

        execution.Reply.Ok();
    }

    public static void Unwatch(SessionExecution execution)
    {
        execution.Engine.Watches.RemoveAll(execution.Session);
        execution.Reply.Ok();
    }

    private static void Run(SessionExecution execution, Transaction transaction)
    {
        Session session = execution.Session;
        var ownSpec = execution.Spec;
        ArgumentList ownArguments = execution.Arguments;
        ExecutionPlace place = execution.Place;
        execution.Place = ExecutionPlace.Nested;
        execution.Reply.ArrayHeader(transaction.Commands.Length);
        foreach (QueuedCommand queued in transaction.Commands)
        {
            execution.Spec = queued.Spec;
            execution.Arguments = queued.Arguments;
            execution.Keys.Database = session.Database;
            if (RefusesDenied(execution))
                continue;
            ((Loop)execution.Loop).Runner.Calls.CallNested(execution, queued.Spec);
        }

        execution.Place = place;
        execution.Spec = ownSpec;
        execution.Arguments = ownArguments;
    }

    // The rules may have changed since it was queued.
    private static bool RefusesDenied(SessionExecution execution)
    {
        Session session = execution.Session;
        AccessDenial denial = AccessControl.Find(execution, execution.Spec, execution.Arguments);
        ReadOnlySpan<byte> error = denial.IsNone
            ? AccessCheck.FindSortError(session.Account.User, execution.Spec, execution.Arguments)
            : AccessErrors.InTransaction(denial.Reason);
        if (error.IsEmpty)
            return false;
        if (!denial.IsNone)
        {
            execution.Engine.Access.Note(
                session, denial, execution.Spec, execution.Arguments, DenialPlace.Transaction);
        }

        execution.Reply.Error(error);
        execution.NestedErrorCount++;
        return true;
    }

    private static bool HasExpiredWatch(SessionExecution execution)
    {
        if (execution.Session.Watches is not { } list)
            return false;
        foreach (Watch watch in list.Watches)
        {
            if (watch.WasMissing)
                continue;
            fixed (byte* name = watch.Key.Name)
            {
                var key = new Key(name, watch.Key.Name.Length, watch.Hash);
                if (execution.Keys.PeekIn(watch.Key.Database, in key).IsMissing)
                    return true;
            }
        }

        return false;
    }
}
