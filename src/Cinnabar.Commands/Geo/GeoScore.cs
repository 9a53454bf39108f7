using Cinnabar.Structures.Geo;

namespace Cinnabar.Commands.Geo;

/// <summary>Scores of sorted sets as places; any number may be one, not only what GEOADD stored.</summary>
internal static class GeoScore
{
    private const double HighestBit = 1UL << 63;

    /// <summary>The place of a score.</summary>
    internal static GeoPoint ToPoint(double score) => Geohash.Decode(ToBits(score));

    /// <summary>
    /// The bits of a score: its whole part, and what redis-server's conversion leaves of numbers that are
    /// negative or too large.
    /// </summary>
    internal static ulong ToBits(double score)
    {
        if (score >= HighestBit)
            return score < 2 * HighestBit ? (ulong)score : 0;
        return score >= -HighestBit ? (ulong)(long)score : 1UL << 63;
    }
}
