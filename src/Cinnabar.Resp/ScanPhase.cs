namespace Cinnabar.Resp;

/// <summary>A scan's place in a command.</summary>
internal enum ScanPhase : byte
{
    /// <summary>At the first line.</summary>
    Start,

    /// <summary>At the <c>$</c> of an argument.</summary>
    BulkHeader,

    /// <summary>At the bytes of an argument whose length is known.</summary>
    Payload,

    /// <summary>At the CRLF after an argument whose bytes are in a block of their own.</summary>
    LineEndAfterBig,
}
