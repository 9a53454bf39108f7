namespace Cinnabar.Resp;

/// <summary>What reading one reply came to.</summary>
public enum ReplyReadOutcome
{
    /// <summary>A whole reply.</summary>
    Complete,

    /// <summary>The input ends before the reply does: read again from its first byte with more
    /// input.</summary>
    NeedMore,

    /// <summary>This is no RESP, or it is nested too deep.</summary>
    Malformed,
}
