namespace Cinnabar.Structures.Lists;

/// <summary>One of the two ends of a list.</summary>
public enum ListEnd : byte
{
    /// <summary>Where the first element is: LEFT.</summary>
    Head,

    /// <summary>Where the last element is: RIGHT.</summary>
    Tail,
}
