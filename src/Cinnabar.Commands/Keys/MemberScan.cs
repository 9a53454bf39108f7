namespace Cinnabar.Commands.Keys;

/// <summary>The beginning that HSCAN, SSCAN and ZSCAN share: cursor and key precede the options.</summary>
internal static class MemberScan
{
    /// <summary>Reads the cursor and finds the entry.</summary>
    /// <returns>False where that was replied to: a bad cursor, another type, or no key.</returns>
    internal static bool TryBegin(Execution execution, KeyType type, out ulong cursor, out EntryView entry)
    {
        entry = default;
        if (!ScanCursor.TryParse(execution.Argument(2), out cursor))
        {
            execution.Reply.Error("ERR invalid cursor"u8);
            return false;
        }

        if (!execution.TryFindKept(1, type, out entry))
            return false;
        if (!entry.IsMissing)
            return true;
        execution.Reply.ArrayHeader(2);
        execution.Reply.BulkInteger(0);
        execution.Reply.ArrayHeader(0);
        return false;
    }
}
