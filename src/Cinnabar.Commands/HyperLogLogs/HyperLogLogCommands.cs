using System.Buffers;
using Cinnabar.Structures.HyperLogLogs;

namespace Cinnabar.Commands.HyperLogLogs;

/// <summary>Commands on HyperLogLogs: PFADD, PFCOUNT, PFMERGE.</summary>
public static class HyperLogLogCommands
{
    private const int HeadSize = HyperLogLog.HeaderSize;
    private const long MergeCostNs = 3000;

    /// <summary>PFADD key [element ...].</summary>
    public static void PfAdd(Execution execution)
    {
        Key key = execution.Key(1);
        EntryView entry = execution.Keys.FindForWrite(in key);
        if (!entry.IsMissing && !HyperLogLogValues.IsHyperLogLog(execution, entry))
            return;
        using var change = new HyperLogLogChange(execution, key);
        int changeCount = change.IsNew ? 1 : 0;
        for (int index = 2; index < execution.ArgumentCount; index++)
        {
            RegisterUpdate update = change.Add(execution.Argument(index));
            if (update == RegisterUpdate.Corrupt)
            {
                execution.Reply.Error(HyperLogLogValues.Corrupt);
                return;
            }

            if (update == RegisterUpdate.Changed)
                changeCount++;
        }

        if (changeCount > 0)
        {
            // Also where no element came: the key is new.
            change.ForgetCount();
            change.Store();
            execution.Keys.Changed(in key, KeyEvent.PfAdd);
            execution.Keys.CountChanges(changeCount - 1);
        }

        execution.Reply.Integer(changeCount > 0 ? 1 : 0);
    }

    /// <summary>PFCOUNT key [key ...].</summary>
    public static Outcome PfCount(Execution execution)
    {
        if (execution.ArgumentCount == 2)
        {
            CountOne(execution);
            return Outcome.Done;
        }

        if (execution.MustLeaveLoop((execution.ArgumentCount - 1) * MergeCostNs))
            return Outcome.OffLoop;
        byte[] registers = ArrayPool<byte>.Shared.Rent(HyperLogLog.RegisterCount);
        var union = new HyperLogLogUnion(registers);
        if (TryUnite(execution, union, out _))
            execution.Reply.Integer((long)union.Count());
        ArrayPool<byte>.Shared.Return(registers);
        return Outcome.Done;
    }

    /// <summary>PFMERGE destkey [sourcekey ...].</summary>
    public static Outcome PfMerge(Execution execution)
    {
        if (execution.MustLeaveLoop(execution.ArgumentCount * MergeCostNs))
            return Outcome.OffLoop;
        byte[] registers = ArrayPool<byte>.Shared.Rent(HyperLogLog.RegisterCount);
        var union = new HyperLogLogUnion(registers);
        if (TryUnite(execution, union, out bool hasDense))
            StoreUnion(execution, union, hasDense);
        ArrayPool<byte>.Shared.Return(registers);
        return Outcome.Done;
    }

    private static void CountOne(Execution execution)
    {
        Key key = execution.Key(1);
        EntryView entry = execution.Keys.Find(in key);
        if (entry.IsMissing)
        {
            execution.Reply.Integer(0);
            return;
        }

        if (!HyperLogLogValues.IsHyperLogLog(execution, entry))
            return;
        entry = HyperLogLogValues.MakeRaw(execution, in key, entry);
        ReadOnlySpan<byte> value = HyperLogLogValues.BytesOrHead(entry, stackalloc byte[HeadSize]);
        if (!HyperLogLog.TryGetKnownCount(value, out ulong count))
        {
            if (!HyperLogLog.TryCount(value, out count))
            {
                execution.Reply.Error(HyperLogLogValues.Corrupt);
                return;
            }

            HyperLogLog.SetKnownCount(execution.Strings.EditInPlace(entry, in key).SpanAt(0), count);
            execution.Keys.Changed(in key, KeyEvent.Rewritten);
        }

        execution.Reply.Integer((long)count);
    }

    /// <summary>Adds the values of all keys of the command to a union; false where the error was
    /// replied.</summary>
    private static bool TryUnite(Execution execution, HyperLogLogUnion union, out bool hasDense)
    {
        Span<byte> head = stackalloc byte[HeadSize];
        hasDense = false;
        for (int index = 1; index < execution.ArgumentCount; index++)
        {
            EntryView entry = execution.Keys.Find(execution.Key(index));
            if (entry.IsMissing)
                continue;
            if (!HyperLogLogValues.IsHyperLogLog(execution, entry))
                return false;
            ReadOnlySpan<byte> value = HyperLogLogValues.BytesOrHead(entry, head);
            hasDense |= HyperLogLog.IsDense(value);
            if (union.TryAdd(value))
                continue;
            execution.Reply.Error(HyperLogLogValues.Corrupt);
            return false;
        }

        return true;
    }

    private static void StoreUnion(Execution execution, HyperLogLogUnion union, bool isDense)
    {
        Key key = execution.Key(1);
        execution.Keys.FindForWrite(in key);
        using var change = new HyperLogLogChange(execution, key);
        if ((isDense && !change.IsDense && !change.TryMakeDense()) || !change.TryMerge(union))
        {
            execution.Reply.Error(HyperLogLogValues.Corrupt);
            return;
        }

        change.Store();
        execution.Keys.Changed(in key, KeyEvent.PfAdd);
        execution.Reply.Ok();
    }
}
