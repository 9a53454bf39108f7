using System;
using BenchmarkDotNet.Attributes;
using Cinnabar.Structures.Geo;

namespace Cinnabar.Micro.Structures;

/// <summary>What the geospatial commands do for each place, and once for each search.</summary>
[MemoryDiagnoser]
public class GeoBenchmarks
{
    private readonly GeoPoint _palermo = new(13.361389, 38.115556);
    private readonly GeoPoint _catania = new(15.087269, 37.502669);
    private readonly byte[] _text = new byte[Geohash.TextLength];

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
}
