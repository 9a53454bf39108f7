using System;
using BenchmarkDotNet.Attributes;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Micro.Structures;

/// <summary>The work of geospatial commands for each place, and once for each search.</summary>
[MemoryDiagnoser]
public class GeoBenchmarks
{
    private const int CornerCount = 100;
    private readonly GeoPoint _palermo = new(13.361389, 38.115556);
    private readonly GeoPoint _catania = new(15.087269, 37.502669);
    private readonly GeoPoint[] _corners = new GeoPoint[CornerCount];
    private readonly byte[] _text = new byte[Geohash.TextLength];

    /// <summary>A star around Palermo.</summary>
    [GlobalSetup]
    public void Setup()
    {
        for (int corner = 0; corner < CornerCount; corner++)
        {
            (double sin, double cos) = Math.SinCos(2 * Math.PI * corner / CornerCount);
            double size = corner % 2 == 0 ? 1 : 2;
            _corners[corner] = new GeoPoint(
                _palermo.Longitude + size * cos, _palermo.Latitude + size * sin);
        }
    }

    /// <summary>GEOADD.</summary>
    [Benchmark]
    public ulong Encode() => Geohash.Encode(_palermo);

    /// <summary>GEOPOS, and each place that a search looks at.</summary>
    [Benchmark]
    public GeoPoint Decode() => Geohash.Decode(3479099956230698);

    /// <summary>GEOHASH.</summary>
    [Benchmark]
    public void Text() => Geohash.WriteText(3479099956230698, _text);

    /// <summary>GEODIST, and each place that a search looks at.</summary>
    [Benchmark]
    public double Distance() => GeoDistance.Between(_palermo, _catania);

    /// <summary>GEOSEARCH, before it looks at places.</summary>
    [Benchmark]
    public int Cover()
    {
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        return GeoCover.Find(GeoShape.Circle(_palermo, 200_000), cells);
    }

    /// <summary>GEOSEARCH with a polygon of a hundred corners, before it looks at places.</summary>
    [Benchmark]
    public int CoverPolygon()
    {
        Span<GeoCell> cells = stackalloc GeoCell[GeoCover.CellCountMax];
        return GeoCover.Find(GeoShape.Polygon(_corners), cells);
    }

    /// <summary>The same, and each of a hundred places that it looks at.</summary>
    [Benchmark]
    public int HundredPlacesOfPolygon()
    {
        GeoShape shape = GeoShape.Polygon(_corners);
        int count = 0;
        for (int place = 0; place < 100; place++)
        {
            var point = new GeoPoint(
                _palermo.Longitude + (place - 50) / 25.0, _palermo.Latitude + place / 90.0);
            if (shape.Contains(point, out _)) count++;
        }
        return count;
    }
}
