using System.Buffers;

namespace Cinnabar.Commands.Sorting;

/// <summary>The options of SORT and SORT_RO.</summary>
internal struct SortOptions : IDisposable
{
    private const int FirstOption = 2;

    private KeyPattern[] _gets = [];

    /// <summary>The options by default.</summary>
    public SortOptions()
    {
    }

    /// <summary>Whether the order is the other way round.</summary>
    public bool IsDescending { get; private set; }

    /// <summary>Whether texts are compared, not numbers.</summary>
    public bool IsAlpha { get; private set; }

    /// <summary>Whether elements are taken as they come: BY with no asterisk.</summary>
    public bool IsUnsorted { get; private set; }

    /// <summary>Whether something else than the elements is compared: <see cref="By"/>.</summary>
    public bool HasBy { get; private set; }

    /// <summary>What is compared.</summary>
    public KeyPattern By { get; private set; }

    /// <summary>The first element of the reply.</summary>
    public long Offset { get; private set; }

    /// <summary>The most elements of the reply; negative: all.</summary>
    public long CountMax { get; private set; } = -1;

    /// <summary>The argument that names the destination; 0: none.</summary>
    public int StoreIndex { get; private set; }

    /// <summary>Number of GET patterns: of values in the reply for each element.</summary>
    public int GetCount { get; private set; }

    /// <summary>Whether keys are read that the arguments do not name.</summary>
    public readonly bool ReadsOthers => (HasBy && !IsUnsorted) || GetCount != 0;

    /// <summary>The GET patterns: what the reply has for each element instead of itself.</summary>
    public readonly ReadOnlySpan<KeyPattern> Gets => _gets.AsSpan(0, GetCount);

    /// <summary>Reads the options; replies the error where they are none.</summary>
    /// <param name="execution">The execution.</param>
    /// <param name="isReadOnly">Whether STORE is no option.</param>
    public bool TryRead(Execution execution, bool isReadOnly)
    {
        for (int index = FirstOption; index < execution.ArgumentCount; index++)
        {
            int left = execution.ArgumentCount - 1 - index;
            if (execution.Is(index, "asc"u8))
            {
                IsDescending = false;
            }
            else if (execution.Is(index, "desc"u8))
            {
                IsDescending = true;
            }
            else if (execution.Is(index, "alpha"u8))
            {
                IsAlpha = true;
            }
            else if (execution.Is(index, "limit"u8) && left >= 2)
            {
                if (!TryReadLimit(execution, index))
                    return false;
                index += 2;
            }
            else if (left >= 1 && TryReadNamed(execution, index, isReadOnly))
            {
                index++;
            }
            else
            {
                execution.Reply.Error(Errors.Syntax);
                return false;
            }
        }

        return true;
    }

    /// <summary>Makes the options those of a sort by the elements' texts.</summary>
    public void SortByText()
    {
        IsUnsorted = false;
        HasBy = false;
        IsAlpha = true;
    }

    /// <summary>Gives the memory back.</summary>
    public void Dispose()
    {
        if (_gets is { Length: > 0 })
            ArrayPool<KeyPattern>.Shared.Return(_gets);
        _gets = [];
    }

    private bool TryReadLimit(Execution execution, int index)
    {
        if (!execution.TryInteger(index + 1, out long offset)
            || !execution.TryInteger(index + 2, out long count))
            return false;
        Offset = offset;
        CountMax = count;
        return true;
    }

    private bool TryReadNamed(Execution execution, int index, bool isReadOnly)
    {
        if (!isReadOnly && execution.Is(index, "store"u8))
        {
            StoreIndex = index + 1;
            return true;
        }

        bool isBy = execution.Is(index, "by"u8);
        if (!isBy && !execution.Is(index, "get"u8))
            return false;
        var pattern = new KeyPattern(execution.Argument(index + 1), index + 1);
        if (!isBy)
        {
            AddGet(execution, pattern);
            return true;
        }

        By = pattern;
        HasBy = true;
        // Once is enough: another BY does not make it a sort again.
        IsUnsorted |= !pattern.HasStar;
        return true;
    }

    private void AddGet(Execution execution, KeyPattern pattern)
    {
        if (_gets.Length == 0)
            _gets = ArrayPool<KeyPattern>.Shared.Rent((execution.ArgumentCount + 1) / 2);
        _gets[GetCount++] = pattern;
    }
}
