namespace Cinnabar.Commands;

/// <summary>How a command names the instant at which a key shall go.</summary>
public enum ExpireUnit : byte
{
    /// <summary>It names none.</summary>
    None,

    /// <summary>Seconds from now (EX).</summary>
    Seconds,

    /// <summary>Milliseconds from now (PX).</summary>
    Milliseconds,

    /// <summary>Unix time in seconds (EXAT).</summary>
    UnixSeconds,

    /// <summary>Unix time in milliseconds (PXAT).</summary>
    UnixMilliseconds,
}
