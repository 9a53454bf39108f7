namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>A pattern of Lua 5.1 in the form that <see cref="PatternMatcher"/> runs.</summary>
/// <remarks>
/// The text of a pattern is a sequence of items, so its form is an array of nodes, of which the last says
/// that the pattern has matched. Sets and classes are bitmaps of 256 bits: a test costs the same whatever the
/// set.
/// <code>
///   ^(%a+)=%1-$    anchored   Open | Set+ | Close | Byte '=' | Back 1 | Byte '-' | SubjectEnd | End
/// </code>
/// Lua 5.1 reads the pattern while it matches, so it finds a mistake only when the match comes there. Here a
/// mistake is a node too (<see cref="PatternOperation.Malformed"/>), which raises its error when it is
/// reached. As in C the pattern ends at its first zero byte.
/// </remarks>
internal sealed class Pattern
{
    /// <summary>Words of 64 bits in a set.</summary>
    internal const int SetWords = 4;

    /// <summary>How many bytes of memory a byte of the text may need here.</summary>
    internal const int BytesPerByte = 48;

    internal Pattern(PatternNode[] nodes, ulong[] sets, bool isAnchored)
    {
        Debug.Assert(nodes[^1].Operation is PatternOperation.End or PatternOperation.Malformed,
            "A pattern ends with its match, or with what is wrong.");
        Nodes = nodes;
        Sets = sets;
        IsAnchored = isAnchored;
    }

    /// <summary>Whether it matches at the beginning only.</summary>
    internal bool IsAnchored { get; }

    /// <summary>The items in their order.</summary>
    internal PatternNode[] Nodes { get; }

    /// <summary>The bitmaps of the sets.</summary>
    internal ulong[] Sets { get; }

    /// <summary>Whether a match begins with a byte that the first node names.</summary>
    internal bool BeginsWithByte =>
        Nodes[0].Operation == PatternOperation.Byte
            && Nodes[0].Repeat is PatternRepeat.Once or PatternRepeat.Some;
}
