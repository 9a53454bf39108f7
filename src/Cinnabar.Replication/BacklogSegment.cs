using Cinnabar.Memory;

namespace Cinnabar.Replication;

/// <summary>Bytes of a stream that lie together.</summary>
/// <param name="block">What they lie in; one reference belongs to the segment.</param>
/// <param name="data">The first byte.</param>
/// <param name="length">How many.</param>
public readonly unsafe struct BacklogSegment(SharedBlock* block, byte* data, int length)
{
    /// <summary>What they lie in.</summary>
    public SharedBlock* Block => block;

    /// <summary>The first byte.</summary>
    public byte* Data => data;

    /// <summary>How many.</summary>
    public int Length => length;
}
