using Cinnabar.Memory;
using Cinnabar.Structures.Blocks;

namespace Cinnabar.Engine.Sessions;

/// <summary>A run of bytes to send, and the reference that keeps them alive. A transport reads Data and
/// Length only.</summary>
public unsafe struct OutputSegment
{
    /// <summary>First byte.</summary>
    public byte* Data;

    /// <summary>Number of bytes.</summary>
    public long Length;

    /// <summary>The block that the bytes lie in; one reference of it belongs to the segment.</summary>
    internal SharedBlock* Block;

    /// <summary>Instead of a block: the big string that holds the bytes from <see cref="ValueOffset"/>
    /// on.</summary>
    internal BlockString Value;

    /// <summary>The offset in <see cref="Value"/>.</summary>
    internal long ValueOffset;
}
