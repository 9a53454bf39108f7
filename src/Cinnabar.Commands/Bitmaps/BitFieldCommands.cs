using Cinnabar.Keyspace.Strings;

namespace Cinnabar.Commands.Bitmaps;

/// <summary>Bitmaps as arrays of small integers: BITFIELD, BITFIELD_RO.</summary>
public static class BitFieldCommands
{
    private const long NoBit = -1;

    /// <summary>
    /// BITFIELD key [GET type offset | [OVERFLOW WRAP | SAT | FAIL] SET type offset value | INCRBY type
    /// offset increment ...].
    /// </summary>
    public static void BitField(Execution execution)
    {
        if (!TryCheck(execution, out int count, out long lastBit))
            return;
        if (lastBit == NoBit)
            Read(execution, count);
        else
            Write(execution, count, lastBit);
    }

    /// <summary>BITFIELD_RO key [GET type offset ...].</summary>
    public static void BitFieldReadOnly(Execution execution)
    {
        if (!TryCheck(execution, out int count, out long lastBit))
            return;
        if (lastBit == NoBit)
            Read(execution, count);
        else
            execution.Reply.Error("ERR BITFIELD_RO only supports the GET subcommand"u8);
    }

    /// <summary>Reads all subcommands once; replies the first error.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="count">The number of replies.</param>
    /// <param name="lastBit">The last bit that may be written; −1 where nothing is.</param>
    private static bool TryCheck(Execution execution, out int count, out long lastBit)
    {
        count = 0;
        lastBit = NoBit;
        var reader = new BitFieldReader(execution);
        while (reader.TryNext(out BitFieldOperation operation))
        {
            count++;
            if (operation.Action != BitFieldAction.Get)
                lastBit = Math.Max(lastBit, operation.LastBit);
        }

        return !reader.IsFailed;
    }

    private static void Read(Execution execution, int count)
    {
        if (!execution.TryFindString(1, out EntryView entry))
            return;
        StringView text = entry.IsMissing ? default : entry.String;
        execution.Reply.ArrayHeader(count);
        var reader = new BitFieldReader(execution);
        while (reader.TryNext(out BitFieldOperation operation))
            execution.Reply.Integer(BitFieldWindow.Read(in text, in operation).Value);
    }

    private static void Write(Execution execution, int count, long lastBit)
    {
        Debug.Assert(count > 0 && lastBit >= 0, "nothing is written");
        if (!execution.TryFindStringForWrite(1, out EntryView entry))
            return;
        Key key = execution.Key(1);
        long lengthMin = (lastBit >> 3) + 1;
        bool isLonger = entry.IsMissing || entry.StringLength < lengthMin;
        StringEditor editor = execution.Strings.Edit(in key, lengthMin);
        execution.Reply.ArrayHeader(count);
        int changeCount = 0;
        var reader = new BitFieldReader(execution);
        while (reader.TryNext(out BitFieldOperation operation))
        {
            if (Execute(execution, ref editor, in operation) || (isLonger && changeCount == 0))
                changeCount++;
        }

        if (changeCount == 0)
            return;
        execution.Keys.Changed(in key, KeyEvent.SetBit);
        execution.Keys.CountChanges(changeCount - 1);
    }

    /// <summary>Executes one subcommand and replies to it; true where it changed the string.</summary>
    private static bool Execute(Execution execution, ref StringEditor editor, in BitFieldOperation operation)
    {
        BitFieldWindow window = BitFieldWindow.Read(ref editor, in operation);
        long oldValue = window.Value;
        if (operation.Action == BitFieldAction.Get)
        {
            execution.Reply.Integer(oldValue);
            return false;
        }

        if (!operation.TryEvaluate(oldValue, out long newValue))
        {
            execution.Reply.Null();
            return false;
        }

        execution.Reply.Integer(operation.Action == BitFieldAction.Set ? oldValue : newValue);
        if (newValue == oldValue)
            return false;
        window.Write(ref editor, in operation, newValue);
        return true;
    }
}
