namespace Cinnabar.Resp;

/// <summary>Redis's texts of protocol errors.</summary>
public static class ProtocolErrorText
{
    /// <summary>The error's text without its code ("Protocol error: ...").</summary>
    /// <remarks>The text of <see cref="ScanError.ExpectedDollar"/> lacks the wrong byte in quotes at its end,
    /// which <see cref="Write"/> adds.</remarks>
    public static ReadOnlySpan<byte> Text(ScanError error) => error switch
    {
        ScanError.InvalidMultibulkLength => "Protocol error: invalid multibulk length"u8,
        ScanError.UnauthenticatedMultibulkLength => "Protocol error: unauthenticated multibulk length"u8,
        ScanError.MultibulkCountTooBig => "Protocol error: too big mbulk count string"u8,
        ScanError.ExpectedDollar => "Protocol error: expected '$', got "u8,
        ScanError.InvalidBulkLength => "Protocol error: invalid bulk length"u8,
        ScanError.UnauthenticatedBulkLength => "Protocol error: unauthenticated bulk length"u8,
        ScanError.BulkCountTooBig => "Protocol error: too big bulk count string"u8,
        ScanError.InlineTooBig => "Protocol error: too big inline request"u8,
        ScanError.UnbalancedQuotes => "Protocol error: unbalanced quotes in request"u8,
        _ => throw new ArgumentOutOfRangeException(nameof(error), error, "not an error"),
    };

    /// <summary>Writes the error reply, code ERR included.</summary>
    public static void Write(ref ReplyWriter writer, in ScanResult result)
    {
        writer.BeginError();
        writer.ErrorText("ERR "u8);
        writer.ErrorText(Text(result.Error));
        if (result.Error == ScanError.ExpectedDollar)
        {
            writer.ErrorText([(byte)'\'', result.ErrorByte, (byte)'\'']);
        }

        writer.EndError();
    }
}
