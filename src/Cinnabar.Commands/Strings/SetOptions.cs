using Cinnabar.Keyspace.Journaling;

namespace Cinnabar.Commands.Strings;

/// <summary>The options of SET, read from the arguments behind the value; MSETEX knows some of
/// them.</summary>
internal struct SetOptions
{
    /// <summary>The condition under which the key is set.</summary>
    public ValueCondition Condition;

    /// <summary>When the key shall go.</summary>
    public ExpireTime Expiry;

    /// <summary>Whether a deadline that the key has shall stay (KEEPTTL).</summary>
    public bool KeepsDeadline { get; private set; }

    /// <summary>Whether the reply is the old value (GET).</summary>
    public bool WantsOldValue { get; private set; }

    /// <summary>Reads SET's options from an argument on, in any order; replies the error where they make no
    /// sense.</summary>
    public bool TryRead(Execution execution, int first)
    {
        for (int index = first; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "get"u8))
                WantsOldValue = true;
            else if (!TryReadCommon(execution, ref index)
                && !Condition.TryReadComparison(execution, ref index))
                return ReplySyntaxError(execution);
        }

        return true;
    }

    /// <summary>As <see cref="TryRead"/>, for MSETEX, which knows neither GET nor comparisons.</summary>
    public bool TryReadForMany(Execution execution, int first)
    {
        for (int index = first; index < execution.ArgumentCount; index++)
        {
            if (!TryReadCommon(execution, ref index))
                return ReplySyntaxError(execution);
        }

        return true;
    }

    /// <summary>Records a SET that has been done and has no deadline of its own: without what its replay does
    /// not need and without what the version does not know.</summary>
    public readonly void Record(Execution execution)
    {
        Debug.Assert(!KeepsDeadline || Expiry.Unit == ExpireUnit.None, "KEEPTTL and a deadline");
        bool hasComparison = Condition.ComparesValue && execution.Effects.Level < CommandLevel.Newest;
        if (!WantsOldValue && !hasComparison)
            return;
        Effects effects = execution.Effects.Begin("SET"u8).With(execution.Arguments, 1, 2);
        for (int index = 3; index < execution.ArgumentCount; index++)
        {
            if (execution.Is(index, "get"u8))
                continue;
            var comparison = default(ValueCondition);
            int first = index;
            bool isComparison = comparison.TryReadComparison(execution, ref index);
            if (!isComparison || !hasComparison)
                effects.With(execution.Arguments, first, index + 1 - first);
        }

        effects.End();
    }

    private static bool ReplySyntaxError(Execution execution)
    {
        execution.Reply.Error(Errors.Syntax);
        return false;
    }

    private bool TryReadCommon(Execution execution, ref int index)
    {
        if (Condition.TryReadExistence(execution, index))
            return true;
        if (Expiry.Unit == ExpireUnit.None && execution.Is(index, "keepttl"u8))
        {
            KeepsDeadline = true;
            return true;
        }

        return !KeepsDeadline && Expiry.TryReadOption(execution, ref index);
    }
}
