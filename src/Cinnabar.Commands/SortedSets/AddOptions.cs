namespace Cinnabar.Commands.SortedSets;

/// <summary>What ZADD was asked for before its scores and members.</summary>
internal struct AddOptions
{
    private bool _isNewOnly;
    private bool _isGreaterOnly;
    private bool _isLessOnly;

    /// <summary>Only members that are there get scores.</summary>
    public bool IsExistingOnly { get; private set; }

    /// <summary>The reply counts changed scores, too.</summary>
    public bool CountsChanges { get; private set; }

    /// <summary>The score is added to the member's, and the sum replied.</summary>
    public bool IsIncrement { get; private set; }

    /// <summary>Whether a member's score may have to stay as it is, or is needed.</summary>
    public readonly bool NeedsOldScore =>
        _isNewOnly || IsExistingOnly || _isGreaterOnly || _isLessOnly || IsIncrement;

    /// <summary>Reads the options; replies the error where they, or the number of what follows, make no
    /// sense.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="isIncrement">Whether INCR is understood: ZINCRBY.</param>
    /// <param name="first">The argument with the first score.</param>
    public bool TryRead(Execution execution, bool isIncrement, out int first)
    {
        IsIncrement = isIncrement;
        for (first = 2; first < execution.ArgumentCount && TryTake(execution, first);)
            first++;
        int count = execution.ArgumentCount - first;
        if (count == 0 || count % 2 != 0)
        {
            execution.Reply.Error(Errors.Syntax);
            return false;
        }

        if (_isNewOnly && IsExistingOnly)
        {
            execution.Reply.Error("ERR XX and NX options at the same time are not compatible"u8);
            return false;
        }

        if ((_isNewOnly && (_isGreaterOnly || _isLessOnly)) || (_isGreaterOnly && _isLessOnly))
        {
            execution.Reply.Error(
                "ERR GT, LT, and/or NX options at the same time are not compatible"u8);
            return false;
        }

        if (!IsIncrement || count == 2)
            return true;
        execution.Reply.Error("ERR INCR option supports a single increment-element pair"u8);
        return false;
    }

    /// <summary>Whether a member may get a score.</summary>
    /// <param name="isThere">Whether it has one.</param>
    /// <param name="oldScore">This one.</param>
    /// <param name="score">The new one.</param>
    public readonly bool Allows(bool isThere, double oldScore, double score) => isThere
        ? !_isNewOnly && (!_isGreaterOnly || score > oldScore) && (!_isLessOnly || score < oldScore)
        : !IsExistingOnly;

    private bool TryTake(Execution execution, int index)
    {
        if (execution.Is(index, "nx"u8))
            _isNewOnly = true;
        else if (execution.Is(index, "xx"u8))
            IsExistingOnly = true;
        else if (execution.Is(index, "ch"u8))
            CountsChanges = true;
        else if (execution.Is(index, "incr"u8))
            IsIncrement = true;
        else if (execution.Is(index, "gt"u8))
            _isGreaterOnly = true;
        else if (execution.Is(index, "lt"u8))
            _isLessOnly = true;
        else
            return false;
        return true;
    }
}
