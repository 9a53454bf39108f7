namespace Cinnabar.Resp;

/// <summary>The types of replies in RESP2 and RESP3.</summary>
public enum ReplyKind
{
    /// <summary><c>+</c>.</summary>
    SimpleString,

    /// <summary><c>-</c>.</summary>
    Error,

    /// <summary><c>:</c>.</summary>
    Integer,

    /// <summary><c>$</c>.</summary>
    Bulk,

    /// <summary><c>$-1</c>.</summary>
    NullBulk,

    /// <summary><c>*</c>.</summary>
    Array,

    /// <summary><c>*-1</c>.</summary>
    NullArray,

    /// <summary><c>_</c>.</summary>
    Null,

    /// <summary><c>,</c>.</summary>
    Double,

    /// <summary><c>#</c>.</summary>
    Boolean,

    /// <summary><c>(</c>.</summary>
    BigNumber,

    /// <summary><c>=</c>: the format, a colon, and the text.</summary>
    Verbatim,

    /// <summary><c>!</c>.</summary>
    BulkError,

    /// <summary><c>%</c>: keys and values in turn.</summary>
    Map,

    /// <summary><c>~</c>.</summary>
    Set,

    /// <summary><c>&gt;</c>.</summary>
    Push,
}
