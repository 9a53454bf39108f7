namespace Cinnabar.Structures.Streams;

/// <summary>Where an entry lies in a page, and the beginning of what it says.</summary>
internal unsafe struct StreamEntry
{
    /// <summary>The entry's first element, its flags: always one byte and its back length.</summary>
    internal byte* Start;

    /// <summary>Its first field; with the page's fields, its first value.</summary>
    internal byte* Texts;

    internal StreamId Id;

    /// <summary>Fields (and as many values).</summary>
    internal int FieldCount;

    /// <summary>Whether it has the fields of the page's first entry, in that order.</summary>
    internal bool HasPageFields;

    /// <summary>Whether it was deleted.</summary>
    internal bool IsDeleted;
}
