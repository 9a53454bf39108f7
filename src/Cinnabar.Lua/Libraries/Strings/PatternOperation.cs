namespace Cinnabar.Lua.Libraries.Strings;

/// <summary>What a node of a pattern does.</summary>
internal enum PatternOperation : byte
{
    /// <summary>The pattern has matched.</summary>
    End,

    /// <summary>One given byte.</summary>
    Byte,

    /// <summary>Any byte.</summary>
    Any,

    /// <summary>A byte of a set.</summary>
    Set,

    /// <summary>The end of the subject.</summary>
    SubjectEnd,

    /// <summary>Opens a capture.</summary>
    Open,

    /// <summary>A position capture.</summary>
    Position,

    /// <summary>Closes the capture that was opened last.</summary>
    Close,

    /// <summary>What a capture matched, once more.</summary>
    Back,

    /// <summary>A balanced pair, <c>%b</c>.</summary>
    Balance,

    /// <summary>A frontier, <c>%f</c>.</summary>
    Frontier,

    /// <summary>The pattern is malformed from here on.</summary>
    Malformed,
}
