using Cinnabar.Commands.Keys;
using Cinnabar.Keyspace.Hashes;

namespace Cinnabar.Commands.Hashes;

/// <summary>What HSCAN was asked for beside its cursor. The last of an option that stands twice
/// wins.</summary>
internal struct HashScanOptions
{
    private const long CountDefault = 10;

    private int _patternIndex;

    /// <summary>How many fields to look at, at least.</summary>
    public long Count { get; private set; }

    /// <summary>Whether only names are wanted (NOVALUES).</summary>
    public bool IsWithoutValues { get; private set; }

    /// <summary>Reads the options from an argument on; replies the error where they make no sense.</summary>
    public bool TryRead(Execution execution, int first)
    {
        Count = CountDefault;
        for (int index = first; index < execution.ArgumentCount; index++)
        {
            bool hasValue = index + 1 < execution.ArgumentCount;
            if (hasValue && execution.Is(index, "count"u8))
            {
                if (!execution.TryInteger(++index, out long count))
                    return false;
                if (count < 1)
                    return ReplySyntaxError(execution);
                Count = count;
            }
            else if (hasValue && execution.Is(index, "match"u8))
                UsePattern(execution, ++index);
            else if (execution.Is(index, "novalues"u8))
                IsWithoutValues = true;
            else
                return ScanOptions.ReplyUnknown(execution, index);
        }

        return true;
    }

    /// <summary>Whether the reply shall have a field.</summary>
    public readonly bool Matches(Execution execution, scoped in FieldText name)
    {
        if (_patternIndex == 0)
            return true;
        System.Span<byte> scratch = stackalloc byte[FieldText.ScratchSize];
        return GlobPattern.Matches(execution.Argument(_patternIndex), name.AsText(scratch));
    }

    // A lone star lets even the empty name pass.
    private void UsePattern(Execution execution, int index) =>
        _patternIndex = System.MemoryExtensions.SequenceEqual(execution.Argument(index), "*"u8) ? 0 : index;

    private static bool ReplySyntaxError(Execution execution)
    {
        execution.Reply.Error(Errors.Syntax);
        return false;
    }
}
