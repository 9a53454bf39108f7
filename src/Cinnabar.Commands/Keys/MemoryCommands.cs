namespace Cinnabar.Commands.Keys;

/// <summary>The subcommand of MEMORY that looks at a key.</summary>
public static class MemoryCommands
{
    /// <summary>
    /// MEMORY USAGE key [SAMPLES count]: key, value and their slot, exact, so nothing needs samples. The
    /// share of the table's free slots is not in it.
    /// </summary>
    public static void Usage(Execution execution)
    {
        for (int index = 3; index < execution.ArgumentCount; index += 2)
        {
            bool isSamples = execution.Is(index, "samples"u8) && index + 1 < execution.ArgumentCount;
            long count = -1;
            if (isSamples && !execution.TryInteger(index + 1, out count))
                return;
            if (count >= 0)
                continue;
            execution.Reply.Error(Errors.Syntax);
            return;
        }

        EntryView entry = execution.Keys.Peek(execution.Key(2));
        if (entry.IsMissing)
            execution.Reply.Null();
        else
            execution.Reply.Integer(entry.MemoryUsage + EntryView.SlotBytes);
    }
}
