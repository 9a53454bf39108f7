namespace Cinnabar.Structures.Hashes;

/// <summary>Fields by their numbers, from 0 on, for <see cref="HashFill"/>.</summary>
internal interface IFieldList
{
    /// <summary>How many there are.</summary>
    int Count { get; }

    /// <summary>A field; the same whenever it is asked for.</summary>
    HashField this[int number] { get; }
}
