namespace Cinnabar.Structures.Streams;

/// <summary>
/// The shape of a <see cref="WordTree{TRecord}"/>'s records. Implemented by an empty struct, so that sizes
/// are constants once compiled.
/// </summary>
internal interface IWordRecord
{
    /// <summary>Words of a record.</summary>
    static abstract int Words { get; }

    /// <summary>Words at its beginning that are its key.</summary>
    static abstract int KeyWords { get; }
}
