namespace Cinnabar.Resp;

/// <summary>The result of scanning one command.</summary>
public enum ScanOutcome
{
    /// <summary>A complete command: its arguments are in the buffer.</summary>
    Command,

    /// <summary>The input ends before the command does; scan again with more input.</summary>
    NeedMore,

    /// <summary>A big argument has begun; its bytes may be received into a block of their own.</summary>
    BigArgument,

    /// <summary>A blank line, or an array without elements: consumed, nothing to do.</summary>
    Empty,

    /// <summary>The client broke the protocol: answer with the error, then close.</summary>
    ProtocolError,
}
