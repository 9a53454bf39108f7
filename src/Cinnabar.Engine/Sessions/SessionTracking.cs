namespace Cinnabar.Engine.Sessions;

/// <summary>What CLIENT TRACKING ON has chosen. Written by the session's loop, replaced as a whole; other
/// threads read it.</summary>
/// <param name="modes">How it tracks.</param>
/// <param name="redirectId">The session that gets its invalidations; 0: itself.</param>
/// <param name="prefixes">The prefixes of BCAST.</param>
internal sealed class SessionTracking(TrackingModes modes, long redirectId, byte[][] prefixes)
{
    private bool _isRedirectBroken;

    /// <summary>How it tracks.</summary>
    public TrackingModes Modes { get; } = modes;

    /// <summary>The session that gets its invalidations; 0: itself.</summary>
    public long RedirectId { get; } = redirectId;

    /// <summary>The prefixes of BCAST; an empty one stands for all keys.</summary>
    public byte[][] Prefixes { get; } = prefixes;

    /// <summary>Whether the session that gets its invalidations has gone. From any thread.</summary>
    public bool IsRedirectBroken
    {
        get => Volatile.Read(ref _isRedirectBroken);
        set => Volatile.Write(ref _isRedirectBroken, value);
    }

    /// <summary>Whether CLIENT CACHING has been called for what comes next: the next command, or the
    /// transaction that it begins.</summary>
    public bool IsCachingChosen { get; set; }

    /// <summary>Whether keys that are read now are tracked.</summary>
    public bool TracksReads => (Modes & TrackingModes.Broadcast) == 0
        && ((Modes & TrackingModes.OptIn) == 0 || IsCachingChosen)
        && ((Modes & TrackingModes.OptOut) == 0 || !IsCachingChosen);
}
