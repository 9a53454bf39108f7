// What GEOSEARCH asks for. A place is inside of
// * a circle, if its distance from the center is at most the radius;
// * a box, if it is at most half of the height away from the center's latitude, and at most half of the width
//   away from the center's longitude, measured at the place's own latitude;
// * a polygon, if a ray from it to the east crosses an odd number of its sides, longitudes and latitudes
//   taken as coordinates of a plane. The last vertex is joined to the first.
//
// A polygon has no center by itself: distances are measured from the mean of its vertices as points of the
// sphere.
//
// Most places beside a circle are farther away in latitude or longitude than any of its own, which no sine
// tells. The meridian that touches a circle of the angle r around the latitude p is asin(sin r / cos p) away;
// a circle with a pole in it has all of them.
//
// Source: M. Shimrat, "Algorithm 112: position of point relative to polygon", 1962; the rest is what Redis
// and Valkey document.

namespace Cinnabar.Structures.Geo;

/// <summary>A shape on the map that places are inside of or not.</summary>
public readonly ref struct GeoShape
{
    // About a meter, degrees: more than what the functions round.
    private const double ReachMargin = 1e-5;

    private readonly double _width;
    private readonly double _height;
    private readonly ReadOnlySpan<GeoPoint> _vertices;
    private readonly GeoBounds _bounds;
    private readonly double _latitudeReach;
    private readonly double _longitudeReach;

    private GeoShape(GeoShapeKind kind, GeoPoint center, double width, double height)
    {
        Kind = kind;
        Center = center;
        _width = width;
        _height = height;
        if (kind != GeoShapeKind.Circle) return;
        double angle = height / 2 / GeoDistance.EarthRadius;
        double sine = Math.Sin(angle) / Math.Cos(GeoDistance.ToRadians(center.Latitude));
        bool hasPole = angle >= Math.PI / 2 || sine >= 1;
        _latitudeReach = GeoDistance.ToDegrees(angle) + ReachMargin;
        _longitudeReach = hasPole ? 360 : GeoDistance.ToDegrees(Math.Asin(sine)) + ReachMargin;
    }

    private GeoShape(ReadOnlySpan<GeoPoint> vertices)
    {
        Kind = GeoShapeKind.Polygon;
        Center = MeanOf(vertices);
        _vertices = vertices;
        _bounds = BoundsOf(vertices);
    }

    /// <summary>Which kind it is.</summary>
    public GeoShapeKind Kind { get; }

    /// <summary>What distances are measured from.</summary>
    public GeoPoint Center { get; }

    /// <summary>How many sides a polygon has, each of which costs time for each place; 0: it is
    /// none.</summary>
    public int SideCount => _vertices.Length;

    /// <summary>The circle's radius, or the distance from the center to a corner of the box, or to the
    /// farthest corner of the polygon's <see cref="Bounds"/>, meters.</summary>
    internal double Radius => Kind switch
    {
        GeoShapeKind.Circle => _width / 2,
        GeoShapeKind.Box => Math.Sqrt(_width / 2 * (_width / 2) + _height / 2 * (_height / 2)),
        _ => FarthestCorner(_bounds),
    };

    /// <summary>A circle.</summary>
    /// <param name="center">In range.</param>
    /// <param name="radius">Meters.</param>
    public static GeoShape Circle(GeoPoint center, double radius) =>
        new(GeoShapeKind.Circle, center, radius * 2, radius * 2);

    /// <summary>A box.</summary>
    /// <param name="center">In range.</param>
    /// <param name="width">From west to east, meters.</param>
    /// <param name="height">From south to north, meters.</param>
    public static GeoShape Box(GeoPoint center, double width, double height) =>
        new(GeoShapeKind.Box, center, width, height);

    /// <summary>A polygon.</summary>
    /// <param name="vertices">At least three, in range; the shape refers to them.</param>
    public static GeoShape Polygon(ReadOnlySpan<GeoPoint> vertices) => new(vertices);

    /// <summary>Whether a place is inside.</summary>
    /// <param name="place">The place.</param>
    /// <param name="distance">Its distance from the center, meters, if it is inside.</param>
    public bool Contains(GeoPoint place, out double distance)
    {
        distance = 0;
        if (Kind == GeoShapeKind.Polygon && !IsWithinSides(place)) return false;
        if (Kind == GeoShapeKind.Box && !IsWithinBox(place)) return false;
        if (Kind == GeoShapeKind.Circle && !IsWithinReach(place)) return false;
        distance = GeoDistance.Between(Center, place);
        return Kind != GeoShapeKind.Circle || distance <= _width / 2;
    }

    /// <summary>A rectangle of the map that it is inside of; it may reach beyond the map's edges.</summary>
    public GeoBounds Bounds()
    {
        if (Kind == GeoShapeKind.Polygon) return _bounds;
        double latitude = GeoDistance.ToDegrees(_height / 2 / GeoDistance.EarthRadius);
        // The meridians are closest to each other at the end that is nearer to a pole.
        double end = Center.Latitude < 0 ? Center.Latitude - latitude : Center.Latitude + latitude;
        double width = _width / 2 / GeoDistance.EarthRadius / Math.Cos(GeoDistance.ToRadians(end));
        double longitude = GeoDistance.ToDegrees(width);
        return new GeoBounds(
            Center.Longitude - longitude, Center.Latitude - latitude,
            Center.Longitude + longitude, Center.Latitude + latitude);
    }

    private double FarthestCorner(in GeoBounds bounds)
    {
        double west = Math.Max(
            GeoDistance.Between(Center, new GeoPoint(bounds.LongitudeMin, bounds.LatitudeMax)),
            GeoDistance.Between(Center, new GeoPoint(bounds.LongitudeMin, bounds.LatitudeMin)));
        double east = Math.Max(
            GeoDistance.Between(Center, new GeoPoint(bounds.LongitudeMax, bounds.LatitudeMax)),
            GeoDistance.Between(Center, new GeoPoint(bounds.LongitudeMax, bounds.LatitudeMin)));
        return Math.Max(west, east);
    }

    private static GeoBounds BoundsOf(ReadOnlySpan<GeoPoint> vertices)
    {
        var bounds = new GeoBounds(
            vertices[0].Longitude, vertices[0].Latitude, vertices[0].Longitude, vertices[0].Latitude);
        foreach (GeoPoint vertex in vertices[1..])
        {
            bounds = new GeoBounds(
                Math.Min(bounds.LongitudeMin, vertex.Longitude),
                Math.Min(bounds.LatitudeMin, vertex.Latitude),
                Math.Max(bounds.LongitudeMax, vertex.Longitude),
                Math.Max(bounds.LatitudeMax, vertex.Latitude));
        }
        return bounds;
    }

    private static GeoPoint MeanOf(ReadOnlySpan<GeoPoint> vertices)
    {
        double x = 0;
        double y = 0;
        double z = 0;
        foreach (GeoPoint vertex in vertices)
        {
            double longitude = GeoDistance.ToRadians(vertex.Longitude);
            double latitude = GeoDistance.ToRadians(vertex.Latitude);
            x += Math.Cos(latitude) * Math.Cos(longitude);
            y += Math.Cos(latitude) * Math.Sin(longitude);
            z += Math.Sin(latitude);
        }
        return new GeoPoint(
            GeoDistance.ToDegrees(Math.Atan2(y, x)),
            GeoDistance.ToDegrees(Math.Atan2(z, Math.Sqrt(x * x + y * y))));
    }

    private bool IsWithinReach(GeoPoint place)
    {
        double east = Math.Abs(place.Longitude - Center.Longitude);
        return Math.Abs(place.Latitude - Center.Latitude) <= _latitudeReach
            && Math.Min(east, 360 - east) <= _longitudeReach;
    }

    private bool IsWithinBox(GeoPoint place)
    {
        if (GeoDistance.BetweenLatitudes(place.Latitude, Center.Latitude) > _height / 2) return false;
        var sameLatitude = new GeoPoint(Center.Longitude, place.Latitude);
        return GeoDistance.Between(place, sameLatitude) <= _width / 2;
    }

    private bool IsWithinSides(GeoPoint place)
    {
        if (!_bounds.Contains(place)) return false;
        bool isInside = false;
        GeoPoint a = _vertices[^1];
        foreach (GeoPoint b in _vertices)
        {
            bool isBetween = a.Latitude > place.Latitude != b.Latitude > place.Latitude;
            if (isBetween && place.Longitude < LongitudeAt(a, b, place.Latitude)) isInside = !isInside;
            a = b;
        }
        return isInside;
    }

    // Where the side from a to b has this latitude.
    private static double LongitudeAt(GeoPoint a, GeoPoint b, double latitude) =>
        (a.Longitude - b.Longitude) * (latitude - b.Latitude) / (a.Latitude - b.Latitude) + b.Longitude;
}
