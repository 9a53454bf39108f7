using Cinnabar.Resp;
using Cinnabar.Transport.InProcess;

namespace Cinnabar;

/// <summary>Replies of the server as they come, in pieces. However many pieces a reply comes in, it is made
/// into objects at most twice: in vain when its first piece is there, and when it is whole.</summary>
internal sealed class ReplyQueue
{
    private readonly ReplyEnd _end = new();
    private bool _isPartial;

    /// <summary>Where what has come is put.</summary>
    public ByteQueue Bytes { get; } = new();

    /// <summary>Takes the first reply.</summary>
    /// <param name="reply">It, if it is complete; else null.</param>
    public ReplyReadOutcome Take(out Reply? reply)
    {
        reply = null;
        if (Bytes.Count == 0 || (_isPartial && !_end.TryFind(Bytes.Span)))
            return ReplyReadOutcome.NeedMore;
        ReplyReadOutcome outcome = ReplyReader.Read(Bytes.Span, out reply, out int consumed);
        _isPartial = outcome == ReplyReadOutcome.NeedMore;
        Bytes.RemoveFront(consumed);
        return outcome;
    }
}
