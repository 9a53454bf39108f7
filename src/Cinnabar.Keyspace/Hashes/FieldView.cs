namespace Cinnabar.Keyspace.Hashes;

/// <summary>A field of a hash with its value, valid until the hash changes.</summary>
public readonly ref struct FieldView
{
    internal FieldView(FieldText name, FieldText value, long deadlineMs)
    {
        Name = name;
        Value = value;
        DeadlineMs = deadlineMs;
    }

    /// <summary>The field's name.</summary>
    public FieldText Name { get; }

    /// <summary>Its value.</summary>
    public FieldText Value { get; }

    /// <summary>Its deadline, Unix time in milliseconds; &#8722;1: none.</summary>
    public long DeadlineMs { get; }
}
