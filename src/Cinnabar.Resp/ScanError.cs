namespace Cinnabar.Resp;

/// <summary>How a client broke the protocol; <see cref="ProtocolErrorText"/> has the words.</summary>
public enum ScanError
{
    /// <summary>No error.</summary>
    None,

    /// <summary>What follows <c>*</c> is no number, or too large a one.</summary>
    InvalidMultibulkLength,

    /// <summary>More than 10 arguments before authentication.</summary>
    UnauthenticatedMultibulkLength,

    /// <summary>No end of line within 64 KiB after <c>*</c>.</summary>
    MultibulkCountTooBig,

    /// <summary>An argument that does not begin with <c>$</c>.</summary>
    ExpectedDollar,

    /// <summary>What follows <c>$</c> is no number, a negative one, or too large a one.</summary>
    InvalidBulkLength,

    /// <summary>More than 16,384 bytes in an argument before authentication.</summary>
    UnauthenticatedBulkLength,

    /// <summary>No end of line within 64 KiB after <c>$</c>.</summary>
    BulkCountTooBig,

    /// <summary>No end of line within 64 KiB of an inline command.</summary>
    InlineTooBig,

    /// <summary>An inline command with a quote that is not closed, or is closed within a word.</summary>
    UnbalancedQuotes,
}
