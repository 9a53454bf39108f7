using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Cinnabar.Structures.Geo;
using Cinnabar.Tests.Property.Structures.Geo;

namespace Cinnabar.Tests.Property.Commands;

/// <summary>Where a search looks, as words of GEOSEARCH, and where a place is, seen from there.</summary>
internal sealed class PlaceSearch
{
    // Beyond these nothing promises that Redis's cover, which circles and boxes have, reaches as far as the
    // shape does; what it misses we miss, which the differential tests see.
    private const double FarNorth = 75;
    private const double QuarterOfEarth = 1e7;

    private readonly Func<GeoPoint, NaivePlace> _where;

    private PlaceSearch(GeoPoint center, string[] shape, Func<GeoPoint, NaivePlace> where)
    {
        Center = center;
        Shape = shape;
        _where = where;
    }

    /// <summary>What distances are measured from.</summary>
    public GeoPoint Center { get; }

    /// <summary>BYRADIUS, BYBOX or BYPOLYGON and what belongs to it.</summary>
    public string[] Shape { get; }

    /// <summary>Whether all that is inside must be found; else, as in Redis, some may be missed.</summary>
    public bool FindsAll { get; private init; } = true;

    /// <summary>Whether it is a polygon, which has no origin of its own.</summary>
    public bool IsPolygon => Shape[0] == "BYPOLYGON";

    /// <summary>Whether the center is known well: the mean of places all over the sphere is not.</summary>
    public bool HasCenter { get; private init; } = true;

    /// <summary>Meters in the unit of distances.</summary>
    public double Unit => IsPolygon ? 1
        : Shape[^1] switch { "m" => 1, "km" => 1000, "ft" => 0.3048, _ => 1609.34 };

    /// <summary>A circle.</summary>
    public static PlaceSearch Circle(GeoPoint center, double radius, string unit)
    {
        PlaceSearch search = new(center, ["BYRADIUS", Text(radius), unit], _ => default);
        double meters = radius * search.Unit;
        return new(center, search.Shape, place => NaiveMap.OfCircle(center, meters, place))
        {
            FindsAll = IsCovered(center, meters, meters),
        };
    }

    /// <summary>A box.</summary>
    public static PlaceSearch Box(GeoPoint center, double width, double height, string unit)
    {
        PlaceSearch search = new(center, ["BYBOX", Text(width), Text(height), unit], _ => default);
        double x = width * search.Unit;
        double y = height * search.Unit;
        return new(center, search.Shape, place => NaiveMap.OfBox(center, x, y, place))
        {
            FindsAll = IsCovered(center, x / 2, y / 2),
        };
    }

    /// <summary>A polygon.</summary>
    public static PlaceSearch Polygon(GeoPoint[] corners)
    {
        IEnumerable<string> words = corners.SelectMany(
            static corner => new[] { Text(corner.Longitude), Text(corner.Latitude) });
        string count = corners.Length.ToString(CultureInfo.InvariantCulture);
        GeoPoint center = NaiveMap.Middle(corners, out double weight);
        return new(center, ["BYPOLYGON", count, .. words], place => NaiveMap.OfPolygon(corners, place))
        {
            HasCenter = weight > 1e-3,
        };
    }

    /// <summary>Where a place is.</summary>
    public NaivePlace Of(GeoPoint place) => _where(place);

    /// <summary>A number as a word.</summary>
    public static string Text(double value) =>
        double.IsInfinity(value) ? "inf" : value.ToString("R", CultureInfo.InvariantCulture);

    private static bool IsCovered(GeoPoint center, double width, double height)
    {
        double north = Math.Abs(center.Latitude) + height / NaiveMap.EarthRadius * 180 / Math.PI;
        bool isOnEdge = center.Longitude == 180 || center.Latitude == NaiveMap.LatitudeMax;
        return !isOnEdge && north < FarNorth && width < QuarterOfEarth;
    }
}
