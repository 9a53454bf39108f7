namespace Cinnabar.Resp;

/// <summary>A position in a reply to which the writer can return.</summary>
public readonly unsafe struct ReplyMark
{
    internal ReplyMark(byte* cursor, int segmentIndex)
    {
        Cursor = cursor;
        SegmentIndex = segmentIndex;
    }

    /// <summary>The writer's cursor at the mark.</summary>
    public byte* Cursor { get; }

#if DEBUG
    /// <summary>The writer's count of values at the mark.</summary>
    internal long ValueCount { get; init; }
#endif

    /// <summary>The sink's segment at the mark.</summary>
    public int SegmentIndex { get; }
}
