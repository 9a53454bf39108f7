namespace Cinnabar.Resp;

/// <summary>The details of a scan. Which fields are set depends on the outcome.</summary>
public struct ScanResult
{
    /// <summary>Command, Empty: bytes of the input that the command took.</summary>
    public int Consumed;

    /// <summary>Command: index of its first argument in the buffer.</summary>
    public int FirstArgument;

    /// <summary>Command: number of its arguments, at least 1.</summary>
    public int ArgumentCount;

    /// <summary>NeedMore: the fewest further bytes with which a scan can go on.</summary>
    public int BytesNeededMin;

    /// <summary>BigArgument: its length in bytes, without the line end behind it.</summary>
    public int BigLength;

    /// <summary>BigArgument: where in the input its bytes begin.</summary>
    public int BigOffset;

    /// <summary>BigArgument: bytes of it in the input, which are all from <see cref="BigOffset"/>
    /// on.</summary>
    public int BigAvailable;

    /// <summary>ProtocolError: what was wrong.</summary>
    public ScanError Error;

    /// <summary>ProtocolError: the byte found where <c>$</c> was expected.</summary>
    public byte ErrorByte;
}
