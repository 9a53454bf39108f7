namespace Cinnabar.Commands.Strings;

internal struct LcsOptions
{
    /// <summary>Only the length (LEN).</summary>
    public bool WantsLength { get; private set; }

    /// <summary>Where the matching ranges are (IDX).</summary>
    public bool WantsMatches { get; private set; }

    /// <summary>With each range its length (WITHMATCHLEN).</summary>
    public bool WantsMatchLength { get; private set; }

    /// <summary>Shorter ranges are left out (MINMATCHLEN).</summary>
    public long MatchLengthMin { get; private set; }

    /// <summary>Reads the options; replies the error where they make no sense.</summary>
    public bool TryRead(Execution execution)
    {
        for (int index = 3; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "idx"u8))
            {
                WantsMatches = true;
            }
            else if (execution.Is(index, "len"u8))
            {
                WantsLength = true;
            }
            else if (execution.Is(index, "withmatchlen"u8))
            {
                WantsMatchLength = true;
            }
            else if (execution.Is(index, "minmatchlen"u8) && index + 1 < execution.ArgumentCount)
            {
                if (!execution.TryInteger(++index, out long length))
                    return false;
                MatchLengthMin = length;
            }
            else
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }
        }

        if (!WantsLength || !WantsMatches)
            return true;
        execution.Reply.Error("ERR If you want both the length and indexes, please just use IDX."u8);
        return false;
    }
}
