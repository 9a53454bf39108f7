namespace Cinnabar.Structures.Streams;

/// <summary>The ID of a stream's entry: a time in milliseconds and a number within it.</summary>
/// <param name="Ms">Unix time in milliseconds, or a number that the client chose.</param>
/// <param name="Sequence">Distinguishes the entries of one millisecond.</param>
public readonly record struct StreamId(ulong Ms, ulong Sequence) : IComparable<StreamId>
{
    /// <summary>0-0, which no entry has.</summary>
    public static StreamId Zero => default;

    /// <summary>The greatest ID.</summary>
    public static StreamId Max => new(ulong.MaxValue, ulong.MaxValue);

    /// <summary>Whether this is 0-0.</summary>
    public bool IsZero => (Ms | Sequence) == 0;

    /// <inheritdoc/>
    public int CompareTo(StreamId other) =>
        Ms != other.Ms ? Ms.CompareTo(other.Ms) : Sequence.CompareTo(other.Sequence);

    /// <summary>The ID after this one; false where there is none.</summary>
    public bool TryNext(out StreamId next)
    {
        // First: next may be this very variable.
        bool isThere = this != Max;
        next = Sequence != ulong.MaxValue ? this with { Sequence = Sequence + 1 } : new StreamId(Ms + 1, 0);
        return isThere;
    }

    /// <summary>The ID before this one; false where there is none.</summary>
    public bool TryPrevious(out StreamId previous)
    {
        bool isThere = !IsZero;
        previous = Sequence != 0
            ? this with { Sequence = Sequence - 1 }
            : new StreamId(Ms - 1, ulong.MaxValue);
        return isThere;
    }

    /// <summary>Whether the left one is the lower.</summary>
    public static bool operator <(StreamId left, StreamId right) => left.CompareTo(right) < 0;

    /// <summary>Whether the left one is the higher.</summary>
    public static bool operator >(StreamId left, StreamId right) => left.CompareTo(right) > 0;

    /// <summary>Whether the left one is not the higher.</summary>
    public static bool operator <=(StreamId left, StreamId right) => left.CompareTo(right) <= 0;

    /// <summary>Whether the left one is not the lower.</summary>
    public static bool operator >=(StreamId left, StreamId right) => left.CompareTo(right) >= 0;
}
