using System;

namespace Cinnabar.Tests.EndToEnd.Soak;

/// <summary>A stretch of a soak, or the moment at which nothing is in the server.</summary>
/// <param name="Elapsed">Time since the start.</param>
/// <param name="Phase">What went on; <see cref="Empty"/>: all was removed.</param>
/// <param name="AskedCount">How often the probe asked.</param>
/// <param name="MedianMs">Half of its waits were shorter.</param>
/// <param name="HighMs">The 99.9th percentile of its waits.</param>
/// <param name="MaxMs">The longest one.</param>
/// <param name="State">The server.</param>
internal sealed record SoakRow(TimeSpan Elapsed, string Phase, long AskedCount, double MedianMs,
    double HighMs, double MaxMs, ServerState State)
{
    /// <summary>The phase of a row without waits.</summary>
    public const string Empty = "empty";

    private const double BytesOfMegabyte = 1 << 20;

    /// <summary>Memory in use, as the server counts.</summary>
    public double UsedMegabytes => State.UsedBytes / BytesOfMegabyte;

    /// <summary>Memory of its process.</summary>
    public double ResidentMegabytes => State.ResidentBytes / BytesOfMegabyte;

    /// <summary>Whether it has waits.</summary>
    public bool HasWaits => Phase != Empty;
}
