using Cinnabar.Keyspace.SortedSets;

namespace Cinnabar.Commands.SortedSets;

/// <summary>A range of a sorted set as ZRANGE and its like are asked for it. A command that goes on later
/// keeps it.</summary>
/// <param name="kind">What the command's name says of the ends.</param>
/// <param name="isReverse">What it says of the direction; null: REV decides.</param>
internal struct RangeRequest(RangeKind kind, bool? isReverse)
{
    private RangeKind _kind = kind;
    private bool _isDirectionFree = isReverse is null;
    private long _offset;
    private long _limit = -1;
    private long _start;
    private long _stop;
    private ScoreBounds _scores;
    private LexEnds _members;

    /// <summary>Whether the highest comes first.</summary>
    public bool IsReverse { get; private set; } = isReverse ?? false;

    /// <summary>Whether the ends are ranks.</summary>
    public readonly bool IsByRank => _kind is RangeKind.Unsaid or RangeKind.Rank;

    /// <summary>Whether the scores are wanted.</summary>
    public bool WithScores { get; private set; }

    /// <summary>Reads the arguments behind the key, or replies the error.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="first">The argument with the first end.</param>
    /// <param name="isStore">Whether the range is to be stored: no scores are asked for then.</param>
    public bool TryRead(Execution execution, int first, bool isStore)
    {
        for (int index = first + 2; index < execution.ArgumentCount; index++)
        {
            if (!isStore && execution.Is(index, "withscores"u8))
            {
                WithScores = true;
            }
            else if (execution.Is(index, "limit"u8) && index + 2 < execution.ArgumentCount)
            {
                if (!execution.TryInteger(index + 1, out _offset)
                    || !execution.TryInteger(index + 2, out _limit))
                    return false;
                index += 2;
            }
            else if (!TryTakeShape(execution, index))
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }
        }

        return IsConsistent(execution) && TryReadEnds(execution, first);
    }

    /// <summary>Finds the range in a set.</summary>
    /// <param name="execution">The execution, whose arguments have the ends that are members.</param>
    /// <param name="view">The set.</param>
    public readonly RankRange Find(Execution execution, SortedSetView view)
    {
        long count = view.Count;
        RankRange found = _kind switch
        {
            RangeKind.Score => Limited(view.RangeOf(in _scores)),
            RangeKind.Lex => Limited(view.RangeOf(_members.BoundsIn(execution))),
            _ => RankEnds.Find(_start, _stop, count, IsReverse),
        };
        Debug.Assert(found.First >= 0 && found.Count >= 0 && found.End <= count, "ranks outside the set");
        return found;
    }

    private bool TryTakeShape(Execution execution, int index)
    {
        if (_isDirectionFree && execution.Is(index, "rev"u8))
        {
            IsReverse = true;
            _isDirectionFree = false;
            return true;
        }

        if (_kind != RangeKind.Unsaid)
            return false;
        if (execution.Is(index, "bylex"u8))
            _kind = RangeKind.Lex;
        else if (execution.Is(index, "byscore"u8))
            _kind = RangeKind.Score;
        return _kind != RangeKind.Unsaid;
    }

    private readonly bool IsConsistent(Execution execution)
    {
        if (_limit != -1 && IsByRank)
        {
            execution.Reply.Error("ERR syntax error, LIMIT is only supported in combination with "u8
                + "either BYSCORE or BYLEX"u8);
            return false;
        }

        if (WithScores && _kind == RangeKind.Lex)
        {
            execution.Reply.Error(
                "ERR syntax error, WITHSCORES not supported in combination with BYLEX"u8);
            return false;
        }

        return true;
    }

    private bool TryReadEnds(Execution execution, int first)
    {
        int minIndex = IsReverse ? first + 1 : first;
        int maxIndex = IsReverse ? first : first + 1;
        return _kind switch
        {
            RangeKind.Score => RangeText.TryReadScores(execution, minIndex, maxIndex, out _scores),
            RangeKind.Lex => RangeText.TryReadMembers(execution, minIndex, maxIndex, out _members),
            _ => execution.TryInteger(first, out _start) && execution.TryInteger(first + 1, out _stop),
        };
    }

    private readonly RankRange Limited(RankRange range)
    {
        if (_offset < 0 || _offset >= range.Count)
            return default;
        long left = range.Count - _offset;
        long count = _limit < 0 ? left : Math.Min(_limit, left);
        return new RankRange(IsReverse ? range.End - _offset - count : range.First + _offset, count);
    }
}
