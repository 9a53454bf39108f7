namespace Cinnabar.Structures.Trees;

/// <summary>The two pages that one was split into.</summary>
internal unsafe struct PagePair
{
    /// <summary>The one with the lower keys.</summary>
    internal TreePage* Left;

    /// <summary>The one with the higher keys.</summary>
    internal TreePage* Right;
}
