using Cinnabar.Resp;
using Cinnabar.Transport.InProcess;

namespace Cinnabar.Wire;

/// <summary>Replies of the server, received in pieces. A reply is parsed at most twice, however many pieces
/// it has: when its first piece has come, and when it is complete.</summary>
internal sealed class ReplyQueue
{
    private readonly ReplyEnd _end = new();
    private bool _isPartial;

    /// <summary>Received bytes go here.</summary>
    public ByteQueue Bytes { get; } = new();

    /// <summary>Takes the first reply.</summary>
    /// <param name="reply">It, if it is complete; else null.</param>
    public ReplyReadOutcome Take(out Reply? reply)
    {
        reply = null;
        if (Bytes.Count == 0 || (_isPartial && !_end.TryFind(Bytes.Span)))
            return ReplyReadOutcome.NeedMore;
        ReplyReadOutcome outcome = ReplyReader.Read(Bytes.Span, out reply, out int consumed);
        Debug.Assert(consumed > 0 == (outcome == ReplyReadOutcome.Complete), "only a reply is taken");
        _isPartial = outcome == ReplyReadOutcome.NeedMore;
        Bytes.RemoveFront(consumed);
        return outcome;
    }
}
