namespace Cinnabar.Bench.Load;

/// <summary>What a <see cref="LoadLoop"/> knows of a connection: the batch under way, what of it is not yet
/// sent, and how many bytes of replies are still to come.</summary>
internal unsafe struct Connection
{
    public byte* Unsent;
    public int UnsentSize;
    public int ReplySize;
    public int Count;
    public bool IsReplyBegun;
    public byte FirstByte;
    public long SentAt;
}
