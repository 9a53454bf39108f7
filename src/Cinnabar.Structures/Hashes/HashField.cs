namespace Cinnabar.Structures.Hashes;

/// <summary>A member of a set, or a field of a hash with its value; spans into the collection.</summary>
public readonly ref struct HashField
{
    /// <summary>The deadline of a field that has none.</summary>
    public const long NoDeadline = -1;

    /// <summary>A member of a set.</summary>
    public HashField(ReadOnlySpan<byte> member)
    {
        Member = member;
        DeadlineMs = NoDeadline;
    }

    /// <summary>A field of a hash.</summary>
    public HashField(ReadOnlySpan<byte> member, ReadOnlySpan<byte> value, long deadlineMs = NoDeadline)
    {
        Member = member;
        Value = value;
        HasValue = true;
        DeadlineMs = deadlineMs;
    }

    /// <summary>The member, or the field's name.</summary>
    public ReadOnlySpan<byte> Member { get; }

    /// <summary>The value; of any length where <see cref="HasValue"/>.</summary>
    public ReadOnlySpan<byte> Value { get; }

    /// <summary>Whether there is a value, even an empty one.</summary>
    public bool HasValue { get; }

    /// <summary>Unix time in milliseconds, 0 or later, or <see cref="NoDeadline"/>.</summary>
    public long DeadlineMs { get; }

    /// <summary>Whether the field has a deadline.</summary>
    public bool HasDeadline => DeadlineMs >= 0;
}
