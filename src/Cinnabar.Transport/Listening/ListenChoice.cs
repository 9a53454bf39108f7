using Cinnabar.Transport.Tls;

namespace Cinnabar.Transport.Listening;

/// <summary>Where a server in process listens, in addition to its configuration.</summary>
public sealed record ListenChoice
{
    /// <summary>Whether any free TCP port replaces the configured one.</summary>
    public bool IsPortFree { get; init; }

    /// <summary>Whether a server may listen nowhere: in-process clients still reach it.</summary>
    public bool IsNowhereAllowed { get; init; }

    /// <summary>What does TLS; null: what does it on this system.</summary>
    internal ITlsLibrary? TlsLibrary { get; init; }
}
