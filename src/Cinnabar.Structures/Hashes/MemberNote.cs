using Cinnabar.Structures.Trees;

namespace Cinnabar.Structures.Hashes;

/// <summary>Where a member of a <see cref="HashPages"/> seemed to be, or would be, when it was loaded
/// ahead.</summary>
public struct MemberNote
{
    /// <summary>The way to its page.</summary>
    internal PathNote Path;

    /// <summary>The member's hash.</summary>
    internal ulong Hash;

    /// <summary>Which record of the page was its, or another's with the same tag; -1: none.</summary>
    internal int Index;
}
