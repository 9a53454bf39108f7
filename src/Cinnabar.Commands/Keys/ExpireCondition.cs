namespace Cinnabar.Commands.Keys;

/// <summary>The options of EXPIRE and its kin: what must hold of the deadline that the key has.</summary>
internal struct ExpireCondition
{
    private bool _mustHaveNone;
    private bool _mustHaveOne;
    private bool _mustGrow;
    private bool _mustShrink;

    /// <summary>Reads the options from an argument on; replies the error where they make no sense.</summary>
    public bool TryRead(Execution execution, int first)
    {
        for (int index = first; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "nx"u8))
                _mustHaveNone = true;
            else if (execution.Is(index, "xx"u8))
                _mustHaveOne = true;
            else if (execution.Is(index, "gt"u8))
                _mustGrow = true;
            else if (execution.Is(index, "lt"u8))
                _mustShrink = true;
            else
            {
                execution.Reply.Error("ERR Unsupported option "u8, execution.Argument(index), default);
                return false;
            }
        }

        if (_mustHaveNone && (_mustHaveOne || _mustGrow || _mustShrink))
        {
            execution.Reply.Error(
                "ERR NX and XX, GT or LT options at the same time are not compatible"u8);
            return false;
        }

        if (!_mustGrow || !_mustShrink)
            return true;
        execution.Reply.Error("ERR GT and LT options at the same time are not compatible"u8);
        return false;
    }

    /// <summary>Whether a deadline may follow the one the key has (−1: it has none, which is later than
    /// any).</summary>
    public readonly bool IsMet(long oldMs, long newMs)
    {
        Debug.Assert(!_mustHaveNone || !(_mustHaveOne || _mustGrow || _mustShrink), "NX stands alone");
        Debug.Assert(!_mustGrow || !_mustShrink, "GT and LT exclude each other");
        bool hasDeadline = oldMs >= 0;
        if (_mustHaveNone && hasDeadline)
            return false;
        if (_mustHaveOne && !hasDeadline)
            return false;
        if (_mustGrow && (!hasDeadline || newMs <= oldMs))
            return false;
        return !_mustShrink || !hasDeadline || newMs < oldMs;
    }
}
