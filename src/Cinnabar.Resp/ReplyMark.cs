namespace Cinnabar.Resp;

/// <summary>A place in a reply that the writer can return to.</summary>
public readonly unsafe struct ReplyMark
{
    internal ReplyMark(byte* cursor, int segmentIndex)
    {
        Cursor = cursor;
        SegmentIndex = segmentIndex;
    }

    /// <summary>The writer's cursor at the mark.</summary>
    public byte* Cursor { get; }

    /// <summary>The sink's segment at the mark.</summary>
    public int SegmentIndex { get; }
}
