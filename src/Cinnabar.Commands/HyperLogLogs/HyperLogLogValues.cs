using Cinnabar.Structures.HyperLogLogs;

namespace Cinnabar.Commands.HyperLogLogs;

/// <summary>Finds HyperLogLogs among the strings.</summary>
internal static class HyperLogLogValues
{
    private const int HeadSize = HyperLogLog.HeaderSize;

    /// <summary>The reply where registers are not what they must be.</summary>
    internal static ReadOnlySpan<byte> Corrupt => "INVALIDOBJ Corrupted HLL object detected"u8;

    /// <summary>Whether an entry that is not missing holds a HyperLogLog by its header; replies the error
    /// otherwise.</summary>
    internal static bool IsHyperLogLog(Execution execution, EntryView entry)
    {
        if (entry.Type != KeyType.String)
        {
            execution.Reply.Error(Errors.WrongType);
            return false;
        }

        if (entry.Encoding != KeyEncoding.Int)
        {
            Span<byte> head = stackalloc byte[HeadSize];
            if (HyperLogLog.HasHeader(BytesOrHead(entry, head)))
                return true;
        }

        execution.Reply.Error("WRONGTYPE Key is not a valid HyperLogLog string value."u8);
        return false;
    }

    /// <summary>
    /// The bytes of a HyperLogLog, or only its header where it is too long to be sound: a reader of
    /// the registers finds that there are none.
    /// </summary>
    /// <param name="entry">A string, but no integer.</param>
    /// <param name="head">16 bytes for the header.</param>
    internal static ReadOnlySpan<byte> BytesOrHead(EntryView entry, Span<byte> head)
    {
        Debug.Assert(entry.Type == KeyType.String && entry.Encoding != KeyEncoding.Int, "no HyperLogLog");
        Debug.Assert(head.Length == HeadSize, "a head has one length");
        if (entry.Encoding != KeyEncoding.Blocks)
            return entry.InlineBytes;
        entry.String.CopyTo(0, head);
        return head;
    }

    /// <summary>Makes the string of an existing HyperLogLog raw, as all commands for one key do.</summary>
    internal static EntryView MakeRaw(Execution execution, scoped in Key key, EntryView entry)
    {
        Debug.Assert(!entry.IsMissing && entry.Type == KeyType.String, "no string");
        if (entry.Encoding != KeyEncoding.Embstr)
            return entry;
        execution.Strings.Edit(in key, 0);
        return execution.Keys.Peek(in key);
    }
}
