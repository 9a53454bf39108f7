namespace Cinnabar.Commands;

/// <summary>The error replies that many commands share, in Redis's words.</summary>
public static class Errors
{
    /// <summary>The key holds another data type.</summary>
    public static ReadOnlySpan<byte> WrongType =>
        "WRONGTYPE Operation against a key holding the wrong kind of value"u8;

    /// <summary>The options make no sense together or are unknown.</summary>
    public static ReadOnlySpan<byte> Syntax => "ERR syntax error"u8;

    /// <summary>An argument is not a signed 64-bit integer.</summary>
    public static ReadOnlySpan<byte> NotInteger => "ERR value is not an integer or out of range"u8;

    /// <summary>An argument is not a floating-point number.</summary>
    public static ReadOnlySpan<byte> NotFloat => "ERR value is not a valid float"u8;

    /// <summary>An index or offset lies outside what is allowed.</summary>
    public static ReadOnlySpan<byte> OutOfRange => "ERR index out of range"u8;

    /// <summary>Data are being loaded.</summary>
    public static ReadOnlySpan<byte> Loading => "LOADING Redis is loading the dataset in memory"u8;

    /// <summary>The key must exist.</summary>
    public static ReadOnlySpan<byte> NoSuchKey => "ERR no such key"u8;

    /// <summary>The string would become longer than <c>proto-max-bulk-len</c>.</summary>
    public static ReadOnlySpan<byte> StringTooLong =>
        "ERR string exceeds maximum allowed size (proto-max-bulk-len)"u8;

    /// <summary>A database number is none.</summary>
    public static ReadOnlySpan<byte> DatabaseOutOfRange => "ERR DB index is out of range"u8;

    /// <summary>Source and destination are the same.</summary>
    public static ReadOnlySpan<byte> SameObject => "ERR source and destination objects are the same"u8;

    /// <summary>A count must not be negative.</summary>
    public static ReadOnlySpan<byte> NotPositive => "ERR value is out of range, must be positive"u8;

    /// <summary>A reply cannot have as many elements.</summary>
    public static ReadOnlySpan<byte> CountOutOfRange => "ERR value is out of range"u8;

    /// <summary>Replies that a command, named in lower case, has too few or too many arguments.</summary>
    public static void ReplyWrongArity(Execution execution, ReadOnlySpan<byte> command) =>
        execution.Reply.Error("ERR wrong number of arguments for '"u8, command, "' command"u8);
}
