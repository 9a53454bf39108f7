namespace Cinnabar.Resp;

// The limits of one connection's input. The scanner's fast path accepts lengths of up to four digits without
// a check, so no limit may be below 10,000 (proto-max-bulk-len itself cannot be below 1 MiB).

/// <summary>What a connection may send.</summary>
public readonly struct ScanLimits
{
    /// <summary>Redis's proto-max-bulk-len unless configured: 512 MiB.</summary>
    public const int BulkBytesMaxDefault = 512 * 1024 * 1024;

    /// <summary>Arguments of this size and more get a block of their own.</summary>
    public const int BigArgumentBytesDefault = 64 * 1024;

    /// <summary>Bytes that a line (an inline command, or a number) may have without its end.</summary>
    public const int LineBytesMax = 64 * 1024;

    /// <summary>Before authentication: arguments of one command.</summary>
    public const int UnauthenticatedArgumentsMax = 10;

    /// <summary>Before authentication: bytes of one argument.</summary>
    public const int UnauthenticatedBulkBytesMax = 16 * 1024;

    // Stored as differences, so that default(ScanLimits) has the default limits.
    private readonly int _bulkBytesLess;
    private readonly int _bigArgumentBytesLess;

    /// <summary>Limits of a connection.</summary>
    /// <param name="bulkBytesMax">proto-max-bulk-len, at least 10,000</param>
    /// <param name="isAuthenticationPending">true until the client may run commands</param>
    /// <param name="bigArgumentBytes">at least 10,000; see <see cref="ScanOutcome.BigArgument"/></param>
    public ScanLimits(
        int bulkBytesMax = BulkBytesMaxDefault,
        bool isAuthenticationPending = false,
        int bigArgumentBytes = BigArgumentBytesDefault)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(bulkBytesMax, 10_000);
        ArgumentOutOfRangeException.ThrowIfLessThan(bigArgumentBytes, 10_000);
        _bulkBytesLess = BulkBytesMaxDefault - bulkBytesMax;
        _bigArgumentBytesLess = BigArgumentBytesDefault - bigArgumentBytes;
        IsAuthenticationPending = isAuthenticationPending;
    }

    /// <summary>Greatest length of an argument, bytes.</summary>
    public int BulkBytesMax => BulkBytesMaxDefault - _bulkBytesLess;

    /// <summary>An incomplete argument of at least this size is reported as big.</summary>
    public int BigArgumentBytes => BigArgumentBytesDefault - _bigArgumentBytesLess;

    /// <summary>Whether the narrow limits before authentication apply.</summary>
    public bool IsAuthenticationPending { get; }
}
