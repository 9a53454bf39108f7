namespace Cinnabar.Transport.Epoll;

/// <summary>What a server and its machine did within some time.</summary>
internal readonly record struct LoadSample
{
    /// <summary>Processors' worth of work of the loops' threads, polling not counted.</summary>
    public double BusyCores { get; init; }

    /// <summary>Processors' worth that no program of the machine used.</summary>
    public double IdleCores { get; init; }

    /// <summary>Commands a second.</summary>
    public double Rate { get; init; }
}
