namespace Cinnabar.Transport.Uring;

/// <summary>How far a connection's send is that was prepared ahead.</summary>
internal enum UringSending : byte
{
    /// <summary>There is none.</summary>
    None,

    /// <summary>It is in the ring.</summary>
    Prepared,

    /// <summary>Its result is known.</summary>
    Done,
}
