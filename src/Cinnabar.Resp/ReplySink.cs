using Cinnabar.Memory;

namespace Cinnabar.Resp;

// The destination of replies. A ReplyWriter fills chunks that its sink provides; the sink keeps the order of
// what was written:
//
//     | chunk A, 0..n | big value, by reference | chunk A, n..m | chunk B, 0..cursor |
//       segment 0       segment 1                 segment 2       segment 3: the current one
//
// A segment is current until Grow or AppendReference closes it. Marks and reserved headers refer to their
// segment by its index, so a sink must keep every segment of an execution until it has ended.

/// <summary>Gives a <see cref="ReplyWriter"/> its memory and keeps what it wrote.</summary>
public abstract unsafe class ReplySink
{
    /// <summary>Index of the segment that the writer's cursor is in; grows by at least one with each new
    /// one.</summary>
    public abstract int SegmentIndex { get; }

    /// <summary>Whether more bytes are unsent than the client's limit allows. The client will be closed, so a
    /// long reply may end where it is.</summary>
    public virtual bool IsOverLimit => false;

    /// <summary>
    /// Closes the current segment at the writer's cursor and begins one with room for at least
    /// <paramref name="byteCountMin"/> bytes, setting the writer's Cursor and Limit.
    /// </summary>
    public abstract void Grow(ref ReplyWriter writer, int byteCountMin);

    /// <summary>
    /// Appends bytes without copying them: closes the current segment at the writer's cursor, appends one
    /// that retains <paramref name="block"/> until it is sent, and begins a new one (possibly in the rest of
    /// the same chunk), setting the writer's Cursor and Limit.
    /// </summary>
    public abstract void AppendReference(ref ReplyWriter writer, SharedBlock* block, byte* data, int length);

    /// <summary>Drops everything after a mark in an earlier segment, and sets Cursor and Limit back to
    /// it.</summary>
    public abstract void Truncate(ref ReplyWriter writer, in ReplyMark mark);

    /// <summary>Removes bytes from within a closed segment: what follows them in the segment moves
    /// down.</summary>
    /// <param name="segmentIndex">a segment before the current one</param>
    /// <param name="start">first byte to remove</param>
    /// <param name="byteCount">bytes to remove</param>
    public abstract void RemoveBytes(int segmentIndex, byte* start, int byteCount);

    /// <summary>Called when an error reply begins, muted ones included; does nothing here.</summary>
    /// <param name="text">the beginning of the error, at least its code, without the minus</param>
    public virtual void NoteError(System.ReadOnlySpan<byte> text)
    {
    }
}
