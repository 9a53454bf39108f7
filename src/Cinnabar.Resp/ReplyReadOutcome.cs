namespace Cinnabar.Resp;

/// <summary>The result of reading one reply.</summary>
public enum ReplyReadOutcome
{
    /// <summary>A complete reply.</summary>
    Complete,

    /// <summary>The input ends before the reply does: read again from its first byte with more
    /// input.</summary>
    NeedMore,

    /// <summary>The input is not RESP, or is nested too deeply.</summary>
    Malformed,
}
