namespace Cinnabar.Resp;

/// <summary>Where in a command a scan stands.</summary>
internal enum ScanPhase : byte
{
    /// <summary>At the first line.</summary>
    Start,

    /// <summary>At the <c>$</c> of an argument.</summary>
    BulkHeader,

    /// <summary>At the bytes of an argument whose length is known.</summary>
    Payload,

    /// <summary>At the CRLF behind an argument whose bytes went elsewhere.</summary>
    LineEndAfterBig,
}
