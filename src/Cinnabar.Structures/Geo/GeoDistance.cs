// Distances on a sphere by the haversine formula, which keeps its precision for small distances:
//
//      2 R asin sqrt( sin^2(half the difference of latitudes)
//                     + cos(latitude 1) cos(latitude 2) sin^2(half the difference of longitudes) )
//
// The radius is the one that Redis has. Source: R. W. Sinnott, "Virtues of the haversine", 1984.

namespace Cinnabar.Structures.Geo;

/// <summary>Distances between places, in meters.</summary>
public static class GeoDistance
{
    /// <summary>The radius of the Earth, meters.</summary>
    public const double EarthRadius = 6372797.560856;

    private const double RadiansPerDegree = Math.PI / 180;

    /// <summary>The distance of two places.</summary>
    public static double Between(GeoPoint a, GeoPoint b)
    {
        double v = Math.Sin((ToRadians(b.Longitude) - ToRadians(a.Longitude)) / 2);
        if (v == 0) return BetweenLatitudes(a.Latitude, b.Latitude);
        double latitudeA = ToRadians(a.Latitude);
        double latitudeB = ToRadians(b.Latitude);
        double u = Math.Sin((latitudeB - latitudeA) / 2);
        double square = u * u + Math.Cos(latitudeA) * Math.Cos(latitudeB) * v * v;
        return 2 * EarthRadius * Math.Asin(Math.Sqrt(square));
    }

    /// <summary>The distance of two places of the same longitude.</summary>
    public static double BetweenLatitudes(double a, double b) =>
        EarthRadius * Math.Abs(ToRadians(b) - ToRadians(a));

    internal static double ToRadians(double degrees) => degrees * RadiansPerDegree;

    internal static double ToDegrees(double radians) => radians / RadiansPerDegree;
}
