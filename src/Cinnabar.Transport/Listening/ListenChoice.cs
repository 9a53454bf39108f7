namespace Cinnabar.Transport.Listening;

/// <summary>How a server in process listens, beyond what its configuration says.</summary>
public sealed record ListenChoice
{
    /// <summary>Whether any free TCP port is taken instead of the configured one, which is then set to
    /// it.</summary>
    public bool IsPortFree { get; init; }

    /// <summary>Whether a server may listen nowhere: in-process clients reach it all the same.</summary>
    public bool IsNowhereAllowed { get; init; }
}
