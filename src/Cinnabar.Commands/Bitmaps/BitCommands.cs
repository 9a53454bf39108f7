using Cinnabar.Keyspace.Strings;

namespace Cinnabar.Commands.Bitmaps;

/// <summary>Single bits: GETBIT, SETBIT.</summary>
public static class BitCommands
{
    /// <summary>GETBIT key offset.</summary>
    public static void GetBit(Execution execution)
    {
        if (!BitOffset.TryRead(execution, 2, out long offset)
            || !execution.TryFindString(1, out EntryView entry))
            return;
        if (entry.IsMissing || offset >> 3 >= entry.StringLength)
        {
            execution.Reply.Integer(0);
            return;
        }

        byte value = entry.String.SpanAt(offset >> 3)[0];
        execution.Reply.Integer((value & MaskOf(offset)) != 0 ? 1 : 0);
    }

    /// <summary>SETBIT key offset value.</summary>
    public static void SetBit(Execution execution)
    {
        if (!BitOffset.TryRead(execution, 2, out long offset))
            return;
        if (!RedisNumber.TryParseInt64(execution.Argument(3), out long bit) || (bit & ~1) != 0)
        {
            execution.Reply.Error("ERR bit is not an integer or out of range"u8);
            return;
        }

        if (!execution.TryFindStringForWrite(1, out EntryView entry))
            return;
        Key key = execution.Key(1);
        long index = offset >> 3;
        bool isLonger = entry.IsMissing || index >= entry.StringLength;
        StringEditor editor = !isLonger && entry.Encoding is KeyEncoding.Raw or KeyEncoding.Blocks
            ? execution.Strings.EditInPlace(entry, in key)
            : execution.Strings.Edit(in key, index + 1);
        Debug.Assert(editor.Length > index, "the string ends before the bit");
        ref byte target = ref editor.SpanAt(index)[0];
        byte mask = MaskOf(offset);
        bool wasSet = (target & mask) != 0;
        target = (byte)(bit != 0 ? target | mask : target & ~mask);
        if (isLonger || wasSet != (bit != 0))
            execution.Keys.Changed(in key, KeyEvent.SetBit);
        execution.Reply.Integer(wasSet ? 1 : 0);
    }

    private static byte MaskOf(long offset) => (byte)(0x80 >> (int)(offset & 7));
}
