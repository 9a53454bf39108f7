using System;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Tests.Property.Structures.Geo;

/// <summary>
/// What shapes hold, by other formulas than those that are tested: distances are angles between vectors,
/// polygons are left by a ray to the north, numbers of places are read bit by bit. What lies as near to an
/// edge as the formulas may differ is on the edge.
/// </summary>
internal static class NaiveMap
{
    public const double EarthRadius = 6372797.560856;

    public const double LatitudeMax = 85.05112878;

    // Degrees.
    private const double SideWidth = 1e-9;

    /// <summary>The place of a number of GEOADD.</summary>
    public static GeoPoint Decode(ulong geohash)
    {
        double longitude = 0.5;
        double latitude = 0.5;
        for (int step = 0; step <= 26; step++)
        {
            longitude += (geohash >> 2 * step + 1 & 1) << step;
            latitude += (geohash >> 2 * step & 1) << step;
        }

        return new GeoPoint(
            Math.Clamp(longitude / (1 << 26) * 360 - 180, -180, 180),
            Math.Clamp((latitude / (1 << 26) * 2 - 1) * LatitudeMax, -LatitudeMax, LatitudeMax));
    }

    /// <summary>Meters.</summary>
    public static double Distance(GeoPoint a, GeoPoint b)
    {
        (double X, double Y, double Z) u = Vector(a);
        (double X, double Y, double Z) v = Vector(b);
        double x = u.Y * v.Z - u.Z * v.Y;
        double y = u.Z * v.X - u.X * v.Z;
        double z = u.X * v.Y - u.Y * v.X;
        double dot = u.X * v.X + u.Y * v.Y + u.Z * v.Z;
        return EarthRadius * Math.Atan2(Math.Sqrt(x * x + y * y + z * z), dot);
    }

    /// <summary>What a distance may be wrong by, meters: opposite places have few digits left.</summary>
    public static double Tolerance(double distance) =>
        distance < 0.99 * Math.PI * EarthRadius ? 1e-5 : 1;

    /// <summary>The middle of places on the sphere, and how well it is known: 1 is best, at 0 there is none.
    /// </summary>
    public static GeoPoint Middle(ReadOnlySpan<GeoPoint> places, out double weight)
    {
        (double X, double Y, double Z) sum = default;
        foreach (GeoPoint place in places)
        {
            (double X, double Y, double Z) vector = Vector(place);
            sum = (sum.X + vector.X, sum.Y + vector.Y, sum.Z + vector.Z);
        }

        double flat = Math.Sqrt(sum.X * sum.X + sum.Y * sum.Y);
        weight = Math.Sqrt(flat * flat + sum.Z * sum.Z) / places.Length;
        double degree = Math.PI / 180;
        return new GeoPoint(Math.Atan2(sum.Y, sum.X) / degree, Math.Atan2(sum.Z, flat) / degree);
    }

    public static NaivePlace OfCircle(GeoPoint center, double radius, GeoPoint place) =>
        Compare(Distance(center, place), radius);

    public static NaivePlace OfBox(GeoPoint center, double width, double height, GeoPoint place)
    {
        double north = Math.Abs(place.Latitude - center.Latitude) * Math.PI / 180 * EarthRadius;
        double east = Distance(place, center with { Latitude = place.Latitude });
        NaivePlace row = Compare(north, height / 2);
        NaivePlace column = Compare(east, width / 2);
        return row < column ? row : column;
    }

    public static NaivePlace OfPolygon(ReadOnlySpan<GeoPoint> vertices, GeoPoint place)
    {
        bool isInside = false;
        GeoPoint a = vertices[^1];
        foreach (GeoPoint b in vertices)
        {
            if (DistanceToSide(a, b, place) < SideWidth) return NaivePlace.OnEdge;
            (GeoPoint west, GeoPoint east) = a.Longitude < b.Longitude ? (a, b) : (b, a);
            if (place.Longitude >= west.Longitude && place.Longitude < east.Longitude)
            {
                // Which side of the line the place is on: the sign of a cross product.
                double cross = (east.Longitude - west.Longitude) * (place.Latitude - west.Latitude)
                    - (east.Latitude - west.Latitude) * (place.Longitude - west.Longitude);
                if (cross < 0) isInside = !isInside;
            }

            a = b;
        }

        return isInside ? NaivePlace.Inside : NaivePlace.Outside;
    }

    private static NaivePlace Compare(double distance, double limit) =>
        Math.Abs(distance - limit) <= Tolerance(distance) ? NaivePlace.OnEdge
        : distance < limit ? NaivePlace.Inside
        : NaivePlace.Outside;

    private static double DistanceToSide(GeoPoint a, GeoPoint b, GeoPoint place)
    {
        double x = b.Longitude - a.Longitude;
        double y = b.Latitude - a.Latitude;
        double length = x * x + y * y;
        double along = (place.Longitude - a.Longitude) * x + (place.Latitude - a.Latitude) * y;
        double part = length == 0 ? 0 : Math.Clamp(along / length, 0, 1);
        return Math.Sqrt(
            Math.Pow(a.Longitude + part * x - place.Longitude, 2)
            + Math.Pow(a.Latitude + part * y - place.Latitude, 2));
    }

    private static (double X, double Y, double Z) Vector(GeoPoint place)
    {
        double longitude = place.Longitude * Math.PI / 180;
        double latitude = place.Latitude * Math.PI / 180;
        return (Math.Cos(latitude) * Math.Cos(longitude), Math.Cos(latitude) * Math.Sin(longitude),
            Math.Sin(latitude));
    }
}
